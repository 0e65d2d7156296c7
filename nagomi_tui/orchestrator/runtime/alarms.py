"""Many delayed calls on a single timer of the event loop."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import time
from typing import TYPE_CHECKING, Final

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from nagomi_tui.orchestrator.runtime.clock import Clock

_log = logging.getLogger(__name__)
_SPARE: Final = 256
_SLICE_SECONDS: Final = 0.001
"""Seconds for which other tasks may wait while calls are made."""


class Alarms:
    """Makes delayed calls, one for each key; another call for the same key replaces the earlier one.

    It uses a timer of the loop and no task, since waking a task takes longer than most calls.
    """

    def __init__(self, clock: Clock = time) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Hashable]] = []
        self._calls: dict[Hashable, tuple[float, Callable[[], None]]] = {}
        self._order = itertools.count()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def after(self, delay: float, key: Hashable, call: Callable[[], None]) -> None:
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
        """Return whether a call for this key is pending."""
        return key in self._calls

    def cancel(self, key: Hashable) -> None:
        """Cancel the call for this key, if there is one."""
        self._calls.pop(key, None)

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
