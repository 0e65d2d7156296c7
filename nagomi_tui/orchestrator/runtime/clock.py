"""The clock, as parts see it that tests move by hand; the module `time` is one.

Decisions go by its monotonic time. What clients are told, and what is kept, are times of day, and
these jump when somebody sets the system's clock: a session would have worked for hours then. So a
jump is noticed, and all times of day that are held move along.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_SMALLEST_JUMP: Final = 2.0
"""Seconds; less is the work of a program that keeps the clock right."""
_BOOTTIME: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)


class Clock(Protocol):
    """Tells the time in seconds."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; they never decrease."""

    def time(self) -> float:
        """Return seconds since the epoch."""


class JumpWatch:
    """Notices that the system's clock was set; a machine that slept is none of that."""

    def __init__(
        self, wall: Callable[[], float] = time.time, steady: Callable[[], float] | None = None
    ) -> None:
        """`steady` goes on through a machine's sleep, and is set by nobody."""
        self._wall, self._steady = wall, steady or _since_boot
        self._apart = self._wall() - self._steady()

    def look(self) -> float:
        """Return by how many seconds the clock was set since the last look; 0 if it was not."""
        apart = self._wall() - self._steady()
        moved = apart - self._apart
        self._apart = apart
        return moved if abs(moved) >= _SMALLEST_JUMP else 0.0


def _since_boot() -> float:
    """Return seconds that go on while the machine sleeps; where no clock does so, it is the wall's."""
    return time.time() if _BOOTTIME is None else time.clock_gettime(_BOOTTIME)
