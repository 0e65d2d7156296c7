"""The clock, as parts see it that tests move by hand; the module `time` is one."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Tells the time in seconds."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; they never decrease."""

    def time(self) -> float:
        """Return seconds since the epoch."""
