"""Shows what an ended session printed last, where nothing is left of its terminal.

After `quit` or a restart of the machine no worker holds the session any more, and a command that
could not be started again has no terminal. What was stored of it is masked text without colours
and blank lines.
"""

from __future__ import annotations

import logging
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

import anyio
import anyio.to_thread

from nagomi_tui.orchestrator.history.searching import last_lines, opened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.roles import Managed, ManagedRun
    from nagomi_tui.orchestrator.terminals.screens import ScreenMaker

_log = logging.getLogger(__name__)
_LINES: Final = 1000
_CHARACTERS: Final = 200_000
"""Most characters that are shown, so that drawing them takes no longer than some milliseconds."""
_HIDE_CURSOR: Final = "\x1b[?25l"


class LastLines:
    """Makes terminals out of stored lines, for sessions that somebody looks at or reads."""

    def __init__(
        self,
        path: Path,
        screens: ScreenMaker,
        adopted: anyio.Event,
        *,
        sessions: Callable[[], Sequence[Managed]],
        keep_screen: Callable[[Managed], Awaitable[None]],
        show: Callable[[Managed], None],
    ) -> None:
        """`path` is the history's; `adopted` is set when it is known what workers hold.

        `keep_screen` puts the alternate screen on which a session ended behind its lines, and
        `show` hears of each session that has a terminal now.
        """
        self._path = path
        self._screens = screens
        self._adopted = adopted
        self._sessions = sessions
        self._keep_screen = keep_screen
        self._show = show
        self._read: WeakSet[ManagedRun] = WeakSet()
        """The runs whose lines were read, once each."""
        self._asked: list[Managed] = []
        self._wanted = anyio.Event()
        self._lock = anyio.Lock()

    def want(self, session: Managed) -> None:
        """Show the session's last lines soon, if nothing else of it can be shown."""
        if session.run.screen is None and session.run not in self._read:
            self._asked.append(session)
            self._wanted.set()

    async def run(self) -> None:
        """Make what was lost complete, so that a search finds it, and show what is wanted, for ever."""
        await self._adopted.wait()
        for session in self._sessions():
            if _has_nothing(session):
                await self._keep_screen(session)
        while True:
            await self._wanted.wait()
            self._wanted = anyio.Event()
            asked, self._asked = self._asked, []
            for session in asked:
                await self.load(session)

    async def load(self, session: Managed) -> None:
        """Return once the session has a terminal with its last lines, or nothing of it is stored."""
        async with self._lock:
            if session.run in self._read or not _has_nothing(session):
                return
            self._read.add(session.run)
            await self._keep_screen(session)
            lines = await anyio.to_thread.run_sync(partial(_stored, self._path, session.session_id))
            if lines and _has_nothing(session):
                info = session.info
                screen = self._screens.new(session.session_id, info.cols, info.rows)
                screen.is_stored = True
                screen.feed(("\r\n".join(lines) + _HIDE_CURSOR).encode("utf-8", "replace"))
                session.run.screen = screen
                self._show(session)


def _has_nothing(session: Managed) -> bool:
    """Tell whether it has ended, and neither we nor a worker have its terminal."""
    return not session.running and session.run.screen is None and session.run.link is None


def _stored(path: Path, session_id: str) -> list[str]:
    """Return the last stored lines of a session; none where they cannot be read."""
    try:
        with opened(path) as connection:
            found = last_lines(connection, session_id, _LINES)
    except FileNotFoundError:
        return []
    except (sqlite3.Error, OSError) as exc:
        _log.warning("the last lines of session %s cannot be read: %s", session_id, exc)
        return []
    room = _CHARACTERS
    for at in range(len(found) - 1, -1, -1):
        room -= len(found[at])
        if room < 0:
            return found[at + 1 :]
    return found
