"""One task that waits for the next of many moments; nothing pending costs nothing."""

from __future__ import annotations

import heapq
import itertools
import logging
import time
from typing import TYPE_CHECKING, Final

import anyio
from anyio.lowlevel import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_log = logging.getLogger(__name__)
_SLICE_SECONDS: Final = 0.001
"""How long other tasks may wait while calls are made."""


class Alarms:
    """Calls back at a time, once for each key; a later time for a key replaces the earlier."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Hashable]] = []
        self._calls: dict[Hashable, tuple[float, Callable[[], None]]] = {}
        self._order = itertools.count()
        self._changed = anyio.Event()

    def after(self, delay: float, key: Hashable, call: Callable[[], None]) -> None:
        """Call back in `delay` seconds."""
        when = time.monotonic() + delay
        self._calls[key] = (when, call)
        earliest = not self._heap or when < self._heap[0][0]
        heapq.heappush(self._heap, (when, next(self._order), key))
        if earliest:
            self._changed.set()

    def pending(self, key: Hashable) -> bool:
        """Tell whether a call for this key is to come."""
        return key in self._calls

    def cancel(self, key: Hashable) -> None:
        """Do not call for this key."""
        self._calls.pop(key, None)

    async def run(self) -> None:
        """Call back for ever."""
        while True:
            self._changed = anyio.Event()
            while self._ring():
                await checkpoint()
            with anyio.move_on_after(self._patience()):
                await self._changed.wait()

    def _patience(self) -> float:
        return max(0.0, self._heap[0][0] - time.monotonic()) if self._heap else float("inf")

    def _ring(self) -> bool:
        """Make the calls that are due, for a slice of time; tell whether there are more."""
        now = time.monotonic()
        while self._heap and self._heap[0][0] <= now:
            if time.monotonic() - now > _SLICE_SECONDS:
                return True
            when, _, key = heapq.heappop(self._heap)
            if self._calls.get(key, (None,))[0] != when:
                continue
            _, call = self._calls.pop(key)
            try:
                call()
            except Exception:
                _log.exception("a timed call failed: %s", key)
        return False
