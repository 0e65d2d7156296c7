"""Limits how often something is told that programs may say thousands of times a second."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.runtime.clock import Clock

_MANY: Final = 1000


class Throttle:
    """Calls at once for a key that was quiet, else at a limited rate: the newest call counts."""

    def __init__(self, alarms: Alarms, clock: Clock = time) -> None:
        self._clock = clock
        self._alarms = alarms
        self._left: dict[Hashable, tuple[float, float]] = {}
        """For each key, the number of calls allowed at once, and since when."""
        self._waiting: dict[Hashable, Callable[[], None]] = {}

    def call(
        self, key: Hashable, call: Callable[[], None], *, every: float, burst: int = 1
    ) -> None:
        """Call now, or replace the call that waits: one every `every` seconds after `burst` calls."""
        if key in self._waiting:
            self._waiting[key] = call
            return
        now = self._clock.monotonic()
        left = self._left_at(key, now, every, burst)
        if left >= 1:
            self._left[key] = (left - 1, now)
            call()
        else:
            self._waiting[key] = call
            ring = partial(self._ring, key)
            self._left[key] = (left - 1, now)
            self._alarms.after((1 - left) * every, (self, key), ring)

    def _left_at(self, key: Hashable, now: float, every: float, burst: int) -> float:
        if len(self._left) > _MANY:
            # Who was quiet for a minute may do everything at once again.
            self._left = {each: was for each, was in self._left.items() if now - was[1] < 60}
        left, at = self._left.get(key, (burst, now))
        return min(burst, left + (now - at) / every)

    def _ring(self, key: Hashable) -> None:
        self._waiting.pop(key)()
