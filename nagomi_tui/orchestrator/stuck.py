"""Sees from outside that the orchestrator's thread runs around in native code and does not return.

Judged by the processor time that one piece of output has taken so far. A machine that is loaded,
suspended or being debugged gives none to the thread, and so is never taken for a hang.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.mark import COUNT, FEED

if TYPE_CHECKING:
    from pathlib import Path

MOST_SECONDS: Final = 0.8
"""Processor time for at most 64 KiB of output, or a resize, that take some milliseconds."""
_TICKS: Final = 100
"""Of Linux, in a second, as /proc counts them."""


class Watch:
    """Looks, now and then, at which piece of output is being fed, and for how long.

    Where the kernel does not tell a thread's processor time, nothing is ever seen.
    """

    def __init__(self, pid: int, mark: Path) -> None:
        self._stat = f"/proc/{pid}/task/{pid}/stat"
        self._mark = mark
        self._count = b""
        self._since = 0.0
        self._heard = 0.0

    def heard(self) -> None:
        """The process has said that it lives."""
        self._heard = self._spent()[1]

    def is_starving(self) -> bool:
        """Tell whether it would run, and has had no time to speak of since it was last heard."""
        state, spent = self._spent()
        return state == "R" and spent - self._heard < MOST_SECONDS

    def is_stuck(self) -> bool:
        """Tell whether one piece has taken too long by now."""
        try:
            marked = self._marked()
        except OSError:
            return False
        feeding, count = marked[:1] == FEED, marked[COUNT]
        if not feeding:
            self._count = b""
            return False
        _, spent = self._spent()
        if count != self._count:
            self._count, self._since = count, spent
        return spent - self._since > MOST_SECONDS

    def _marked(self) -> bytes:
        with self._mark.open("rb") as file:
            return file.read(COUNT.stop)

    def _spent(self) -> tuple[str, float]:
        """Return the state and the processor seconds of the process's first thread."""
        try:
            with open(self._stat, encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            return fields[0], (int(fields[11]) + int(fields[12])) / _TICKS
        except (OSError, ValueError, IndexError):
            return "", 0.0
