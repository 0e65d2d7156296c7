"""Searches stored transcripts, and shows the last lines of sessions that have no terminal.

After `quit` or a restart of the machine no worker holds the session any more, and a command that
could not be started again has no terminal. What was stored of it is masked text without colours
and blank lines.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakSet

import anyio
import anyio.to_thread

if TYPE_CHECKING:  # `nagomi history` loads nothing of them
    from nagomi_tui.orchestrator.history.transcripts import Transcripts
    from nagomi_tui.orchestrator.sessions.run import Run
    from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.sessions.table import SessionTable

_BUSY_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 1.0
_NO_END: Final = 2**62
"""A number above that of any line."""
_TRIGRAMS: Final = 24
"""Most trigrams that are looked up; lines that match them are compared whole."""


class Found(NamedTuple):
    """A stored line. With `gap`, that many lines are missing before the next one, and text is ""."""

    session_id: str
    session: str
    at: float
    line: str
    gap: int = 0


class EndedTurn(NamedTuple):
    """A stored turn; `verdict` is the JSON of N-85, times are seconds since the epoch."""

    session_id: str
    session: str
    turn: int
    started: float | None
    ended: float
    verdict: bytes


class Query(NamedTuple):
    """What is searched for: case is ignored, and an empty text matches everything."""

    text: str = ""
    sessions: tuple[str, ...] = ()
    """Ids of sessions; none means all."""
    since: float = 0.0
    limit: int = 100


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database for reading; another process may write to it meanwhile.

    Raises:
        FileNotFoundError: nothing was ever stored.
        sqlite3.Error, OSError: it cannot be read.
    """
    if not path.exists():
        raise FileNotFoundError(path)
    if not path.is_file():
        raise OSError(f"{path} is no regular file")
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_BUSY_SECONDS
    )
    try:
        connection.execute("PRAGMA query_only = ON")
        if not _is_made(connection):
            raise FileNotFoundError(path)
        yield connection
    finally:
        connection.close()


def _is_made(connection: sqlite3.Connection) -> bool:
    """Return whether all tables exist; the last one is created a moment after the file."""
    tables = "SELECT 1 FROM sqlite_master WHERE name = 'shelves'"
    return connection.execute(tables).fetchone() is not None


def damage(path: Path) -> str:
    """Return what SQLite's quick check finds wrong with the database, or ""."""
    ends = time.monotonic() + _LOOK_SECONDS
    try:
        with opened(path) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > ends, 10_000)
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except FileNotFoundError:
        return ""
    except sqlite3.Error as exc:
        stopped = getattr(exc, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT
        return "" if stopped else str(exc)
    return "" if found == "ok" else found.partition("\n")[0]


def known(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return ids and names of all sessions of which something is stored, the oldest first."""
    return list(connection.execute("SELECT session_id, name FROM sessions ORDER BY id"))


def meant(stored: Sequence[tuple[str, str]], text: str) -> tuple[str, ...]:
    """Return the ids of the stored sessions with this id or name, or else whose id begins so."""
    exact = tuple(session_id for session_id, name in stored if text in (session_id, name))
    return exact or tuple(session_id for session_id, _ in stored if session_id.startswith(text))


def last_lines(connection: sqlite3.Connection, session_id: str, limit: int) -> list[str]:
    """Return the newest lines of a session, the oldest of them first."""
    rows = connection.execute(
        "SELECT text FROM lines WHERE session = (SELECT id FROM sessions WHERE session_id = ?) "
        "AND gap = 0 ORDER BY id DESC LIMIT ?",
        (session_id, limit),
    )
    return [text for (text,) in rows][::-1]


def search(connection: sqlite3.Connection, query: Query) -> list[Found]:
    """Return the newest matching lines, the oldest of them first."""
    where, values = _narrowed(connection, query, "lines.at", "lines.text")
    match = trigrams(query.text)
    found: list[Found] = []
    for table, bounds in _shelves(connection) if match else [("", None)]:
        here, values_here = [*where], [*values]
        if bounds is not None:
            here.insert(0, "lines.id >= ? AND lines.id < ?")
            values_here[:0] = bounds
        if table:
            here.insert(0, f"{table} MATCH ?")
            values_here.insert(0, match)
        rows = connection.execute(
            "SELECT sessions.session_id, sessions.name, lines.at, lines.text, lines.gap FROM "
            f"{f'{table} JOIN lines ON lines.id = {table}.rowid' if table else 'lines'} "
            "JOIN sessions ON sessions.id = lines.session "
            f"WHERE {' AND '.join(here)} ORDER BY lines.id DESC LIMIT ?",
            (*values_here, query.limit - len(found)),
        )
        found += [Found(*row) for row in rows]
        if len(found) >= query.limit:
            break
    return found[::-1]


def turns(connection: sqlite3.Connection, query: Query) -> list[EndedTurn]:
    """Return the newest turns whose summary matches, the oldest of them first."""
    connection.create_function("summary", 1, lambda verdict: json.loads(verdict)["summary"])
    where, values = _narrowed(connection, query, "turns.ended", "summary(turns.verdict)")
    rows = connection.execute(
        "SELECT sessions.session_id, sessions.name, turn, started, ended, verdict FROM turns "
        f"JOIN sessions ON sessions.id = turns.session WHERE {' AND '.join(where)} "
        "ORDER BY ended DESC, turns.rowid DESC LIMIT ?",
        (*values, query.limit),
    )
    return [EndedTurn(*row) for row in rows][::-1]


def _narrowed(
    connection: sqlite3.Connection, query: Query, at: str, text: str
) -> tuple[list[str], list[str | float]]:
    """Return conditions and their values; `at` and `text` are the columns that are compared."""
    where: list[str] = [f"{at} >= ?"]
    values: list[str | float] = [query.since]
    if query.sessions:
        where.append(f"sessions.session_id IN ({', '.join('?' * len(query.sessions))})")
        values += query.sessions
    if query.text:
        needle = query.text.lower()
        connection.create_function("holds", 1, lambda found: needle in found.lower())
        where.append(f"holds({text})")
    return where, values


def _shelves(connection: sqlite3.Connection) -> Sequence[tuple[str, tuple[int, int] | None]]:
    """Return the tables of the index with the lines they are for, the newest first.

    A shelf without a table was written by a SQLite that has no such index.
    """
    tables = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    first = connection.execute("SELECT shelf, first FROM shelves ORDER BY shelf").fetchall()
    shelves = [
        (f"words_{shelf}" if f"words_{shelf}" in tables else "", (start, end))
        for (shelf, start), (_, end) in pairwise([*first, (0, _NO_END)])
    ]
    return shelves[::-1]


def trigrams(text: str) -> str:
    """Return the index query for a text, or "" if the text is too short for one.

    Letters whose other case has another length are left to the later comparison.
    """
    parts = [text[at : at + 3] for at in range(len(text) - 2)]
    plain = [part for part in dict.fromkeys(parts) if _folds_simply(part)][:_TRIGRAMS]
    return " AND ".join('"{}"'.format(part.replace('"', '""')) for part in plain)


def _folds_simply(part: Sequence[str]) -> bool:
    return all(
        char.isascii() or char.lower() == char.upper() == char.casefold() for char in part
    ) and not any(char == "\0" for char in part)


_log = logging.getLogger(__name__)
_LINES: Final = 1000
_CHARACTERS: Final = 200_000
"""Most characters that are shown, so that drawing them takes no longer than some milliseconds."""
_HIDE_CURSOR: Final = "\x1b[?25l"


class LastLines:
    """Makes terminals out of stored lines, for sessions that somebody looks at or reads."""

    def __init__(
        self,
        transcripts: Transcripts,
        screens: ScreenMaker,
        sessions: SessionTable,
        show: Callable[[SessionRuntime], None],
    ) -> None:
        """`show` hears of each session that has a terminal now."""
        self._transcripts = transcripts
        self._screens = screens
        self._sessions = sessions
        self._show = show
        self._read: WeakSet[Run] = WeakSet()
        """The runs whose lines were read, once each."""
        self._asked: list[SessionRuntime] = []
        self._wanted = anyio.Event()
        self._lock = anyio.Lock()

    def want(self, session: SessionRuntime) -> None:
        """Show the session's last lines soon, if nothing else of it can be shown."""
        if session.run.screen is None and session.run not in self._read:
            self._asked.append(session)
            self._wanted.set()

    async def run(self) -> None:
        """Make what was lost complete, so that a search finds it, and show what is wanted, for ever."""
        await self._sessions.all_known()
        for session in self._sessions.all:
            if _has_nothing(session):
                await self._transcripts.keep_screen(session)
        while True:
            await self._wanted.wait()
            self._wanted = anyio.Event()
            asked, self._asked = self._asked, []
            for session in asked:
                await self.load(session)

    async def load(self, session: SessionRuntime) -> None:
        """Return once the session has a terminal with its last lines, or nothing of it is stored."""
        async with self._lock:
            if session.run in self._read or not _has_nothing(session):
                return
            self._read.add(session.run)
            await self._transcripts.keep_screen(session)
            lines = await anyio.to_thread.run_sync(
                partial(_stored, self._transcripts.path, session.session_id)
            )
            if lines and _has_nothing(session):
                info = session.info
                screen = self._screens.new(session.session_id, info.cols, info.rows)
                screen.is_stored = True
                screen.feed(("\r\n".join(lines) + _HIDE_CURSOR).encode("utf-8", "replace"))
                session.run.screen = screen
                self._show(session)


def _has_nothing(session: SessionRuntime) -> bool:
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
