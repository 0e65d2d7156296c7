"""A clock that stands still until a test moves it."""

from __future__ import annotations

from nagomi_tui.orchestrator.runtime.timers import Alarms


class MovedClock:
    """A clock and its alarms: `move` lets time pass, and makes the calls that come due."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.alarms = Alarms(self)

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return 1_000.0 + self.passed

    def time(self) -> float:
        """Seconds since the epoch."""
        return 1_700_000_000.0 + self.passed

    def move(self, seconds: float) -> None:
        """Let so many seconds pass, a little at a time."""
        steps = max(1, round(seconds * 100))
        for _ in range(steps):
            self.passed += seconds / steps
            self.alarms.ring()
