"""Delayed and rate-limited calls on one timer, the clock, and notice when it was set.

Decisions go by its monotonic time. What clients are told, and what is kept, are times of day, and
these jump when somebody sets the system's clock: a session would have worked for hours then. So a
jump is noticed, and all times of day that are held move along.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import time
from collections.abc import Callable, Hashable
from typing import Final, Protocol

import anyio

from nagomi_tui.system.platforms import WINDOWS

_log = logging.getLogger(__name__)
_SPARE: Final = 256
_MANY: Final = 1000
_SLICE_SECONDS: Final = 0.001
"""Seconds for which other tasks may wait while calls are made."""


class Alarms:
    """Makes delayed calls, one for each key, and limits their rate; a later call replaces an earlier one.

    It uses a timer of the loop and no task, since waking a task takes longer than most calls.
    """

    def __init__(self, clock: Clock = time) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Hashable]] = []
        self._calls: dict[Hashable, tuple[float, Callable[[], object]]] = {}
        self._order = itertools.count()
        self._left: dict[Hashable, tuple[float, float]] = {}
        """For each limited key, the number of calls allowed at once, and since when."""
        self._waiting: dict[Hashable, Callable[[], object]] = {}
        """Calls of limited keys that wait for their turn."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def after(self, delay: float, key: Hashable, call: Callable[[], object]) -> None:
        """Make the call in `delay` seconds."""
        when = self._clock.monotonic() + delay
        self._calls[key] = (when, call)
        earliest = not self._heap or when < self._heap[0][0]
        heapq.heappush(self._heap, (when, next(self._order), key))
        if len(self._heap) > _SPARE + 2 * len(self._calls):
            self._drop_replaced()
        if earliest:
            self._arm(delay)

    def pending(self, key: Hashable) -> bool:
        return key in self._calls

    def cancel(self, key: Hashable) -> None:
        """Cancel the call for this key, if there is one."""
        self._calls.pop(key, None)

    def limit(
        self, key: Hashable, call: Callable[[], object], *, every: float, burst: int = 1
    ) -> None:
        """Call now if the key was quiet, else one every `every` seconds after `burst` calls.

        Of the calls that wait for that, the newest counts.
        """
        if key in self._waiting:
            self._waiting[key] = call
            return
        now = self._clock.monotonic()
        left = self._left_at(key, now, every, burst)
        self._left[key] = (left - 1, now)
        if left >= 1:
            call()
        else:
            self._waiting[key] = call
            self.after((1 - left) * every, ("limited", key), lambda: self._waiting.pop(key)())

    def _left_at(self, key: Hashable, now: float, every: float, burst: int) -> float:
        if len(self._left) > _MANY:
            # Who was quiet for a minute may do everything at once again.
            self._left = {each: was for each, was in self._left.items() if now - was[1] < 60}
        left, at = self._left.get(key, (burst, now))
        return min(burst, left + (now - at) / every)

    def _drop_replaced(self) -> None:
        """Drop the times of calls that were replaced or cancelled."""
        calls = self._calls
        self._heap = [each for each in self._heap if calls.get(each[2], (None,))[0] == each[0]]
        heapq.heapify(self._heap)

    async def run(self) -> None:
        """Make calls for ever, those that were asked for before among them."""
        self._loop = asyncio.get_running_loop()
        try:
            self.ring()
            await anyio.sleep_forever()
        finally:
            self._loop = None
            self._arm(None)

    def _arm(self, delay: float | None) -> None:
        """Set the loop's timer to `delay` seconds, in place of the one set before."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._loop is not None and delay is not None:
            self._timer = self._loop.call_later(delay, self.ring)

    def ring(self) -> None:
        """Make the calls that are due, for a slice of time, and set the timer for the next ones."""
        self._make_calls()
        self._arm(max(0.0, self._heap[0][0] - self._clock.monotonic()) if self._heap else None)

    def _make_calls(self) -> None:
        now = self._clock.monotonic()
        while self._heap and self._heap[0][0] <= now:
            if self._clock.monotonic() - now > _SLICE_SECONDS:
                return
            when, _, key = heapq.heappop(self._heap)
            if self._calls.get(key, (None,))[0] != when:
                continue
            _, call = self._calls.pop(key)
            try:
                call()
            except Exception:
                _log.exception("a timed call failed: %s", key)


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
        began = self._steady()
        apart = self._wall() - began
        if self._steady() - began >= _SMALLEST_JUMP:  # stopped between the two
            return 0.0
        moved = apart - self._apart
        self._apart = apart
        return moved if abs(moved) >= _SMALLEST_JUMP else 0.0


def _since_boot() -> float:
    """Return seconds that go on while the machine sleeps; where no clock does so, it is the wall's."""
    if WINDOWS or _BOOTTIME is None:
        return time.time()
    return time.clock_gettime(_BOOTTIME)


REACH_SECONDS: Final = 3.0
"""Seconds within which a deleted socket is found or made anew; less than a start waits for it."""


async def next_pulse(seconds: float) -> None:
    """Sleep until the clock shows a multiple of `seconds`, the same for all callers."""
    await anyio.sleep(seconds - time.monotonic() % seconds)
