"""Packs the history of quiet sessions in memory, and once more after somebody has read it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Protocol

from nagomi_worker.runtime.memory import give_back

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from nagomi_tui.orchestrator.sessions.roles import Shown

COMPACT_SECONDS: Final = 6.0
"""Seconds without output after which a session's history is packed."""
UNREAD_SECONDS: Final = 1.5
"""Seconds after which history that was read is packed again."""
LOOK_SECONDS: Final = 1.0
"""Seconds between two looks for such history, while there is some or transcripts may be about to
read it, as they are after a flood."""
RARE_LOOK_SECONDS: Final = 30.0
"""The same while there is none."""
_AT_HAND_SECONDS: Final = 900.0
"""Seconds after the last key within which the next one is to be shown without delay."""
_TRIM_SECONDS: Final = 1.0
"""Seconds after terminals were packed until freed memory is returned to the system."""


class Delays(Protocol):
    """Makes a call later, one for each key; `Alarms` does."""

    def after(self, delay: float, key: Hashable, call: Callable[[], None]) -> None:
        """Make the call in `delay` seconds."""


class Compaction:
    """Has the terminals of sessions that print nothing take little memory."""

    def __init__(self, alarms: Delays) -> None:
        self._alarms = alarms
        self._packed: dict[str, Shown] = {}
        self._looks_soon = False

    def watch(self, session: Shown) -> None:
        """Pack a session's history once it has been quiet for long enough."""
        left = COMPACT_SECONDS - max(0.0, time.time() - session.run.output_at)
        self._alarms.after(max(0.0, left), (session, "compact"), lambda: self._compact(session))

    def _compact(self, session: Shown) -> None:
        run = session.run
        if not _is_quiet(session) or run.screen is None or run.replay is not None:
            return
        run.screen.compact(at_hand=time.time() - (run.typed_at or 0.0) < _AT_HAND_SECONDS)
        self._alarms.after(_TRIM_SECONDS, "trim", give_back)
        self._packed[session.session_id] = session
        self._look_again(soon=True)

    def _look(self) -> None:
        """Pack again what was read: transcripts, searches and users leave it unpacked."""
        sessions, self._packed = self._packed, {}
        self._looks_soon = unpacked = False
        for session_id, session in sessions.items():
            screen = session.run.screen
            if screen is None or not _is_quiet(session):
                continue
            self._packed[session_id] = session
            if (at := screen.unpacked_at) is None:
                continue
            unpacked = True
            if time.monotonic() - at >= UNREAD_SECONDS:
                self._compact(session)
        if self._packed:
            self._look_again(soon=unpacked)

    def _look_again(self, *, soon: bool) -> None:
        if not self._looks_soon:
            self._looks_soon = soon
            pause = LOOK_SECONDS if soon else RARE_LOOK_SECONDS
            self._alarms.after(pause, "unpacked", self._look)


def _is_quiet(session: Shown) -> bool:
    return time.time() - session.run.output_at >= COMPACT_SECONDS - 0.5
