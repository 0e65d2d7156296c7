"""A clock that only a test moves on, and timers that go by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Timer:
    """Something that waits for its time."""

    def __init__(self, at: float, work: Callable[[], object]) -> None:
        self.at = at
        self.work = work
        self.stopped = False

    def stop(self) -> None:
        """Wait no longer."""
        self.stopped = True


class Clock:
    """Called, it tells the seconds; it begins at 0."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[Timer] = []

    def __call__(self) -> float:
        return self.now

    def after(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Do `work` once so many seconds have passed."""
        timer = Timer(self.now + seconds, work)
        self._timers.append(timer)
        return timer

    def pass_(self, seconds: float) -> None:
        """Let time go by, and each timer ring when it is due."""
        until = self.now + seconds
        while due := [timer for timer in self._waiting() if timer.at <= until]:
            first = min(due, key=lambda timer: timer.at)
            self._timers.remove(first)
            self.now = max(self.now, first.at)
            first.work()
        self.now = max(self.now, until)

    def _waiting(self) -> list[Timer]:
        return [timer for timer in self._timers if not timer.stopped]
