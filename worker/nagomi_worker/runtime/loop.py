"""A plain event loop of file descriptors and timers.

It is not asyncio because the worker has no tasks, and the cost of a wake-up limits its throughput.
"""

from __future__ import annotations

import heapq
import itertools
import selectors
import time
from collections.abc import Callable
from typing import TypeAlias

Callback: TypeAlias = Callable[[], None]


class Timer:
    """One call at a later time, unless it is cancelled before."""

    def __init__(self, when: float, callback: Callback) -> None:
        self.when = when
        self.callback: Callback | None = callback

    def cancel(self) -> None:
        """Cancel the call; does nothing after it was made."""
        self.callback = None


class Loop:
    """Calls back when a descriptor is ready or a time has come, and sleeps in between."""

    def __init__(self, selector: selectors.BaseSelector | None = None) -> None:
        self._selector = selector or selectors.DefaultSelector()
        self._watched: dict[int, tuple[Callback | None, Callback | None]] = {}
        self._timers: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return time.monotonic()

    def watch(self, fd: int, *, read: Callback | None, write: Callback | None) -> None:
        """Call `read` while `fd` is readable and `write` while it is writable.

        This replaces earlier callbacks; with both None, `fd` is watched no more.
        """
        events = (selectors.EVENT_READ if read else 0) | (selectors.EVENT_WRITE if write else 0)
        known, wanted = self._watched.get(fd), (read, write)
        if known is None:
            if events:
                self._selector.register(fd, events, wanted)
        elif not events:
            self._selector.unregister(fd)
        elif known != wanted:
            self._selector.modify(fd, events, wanted)
        if events:
            self._watched[fd] = wanted
        else:
            self._watched.pop(fd, None)

    def unwatch(self, fd: int) -> None:
        """Watch `fd` no more; to be called before it is closed."""
        self.watch(fd, read=None, write=None)

    def call_later(self, delay: float, callback: Callback) -> Timer:
        """Call once after `delay` seconds."""
        timer = Timer(self.now() + delay, callback)
        heapq.heappush(self._timers, (timer.when, next(self._order), timer))
        return timer

    def turn(self, *, block: bool) -> None:
        """Call back for what is ready; with `block`, wait until something is."""
        for key, events in self._selector.select(self._patience() if block else 0):
            if events & selectors.EVENT_READ:
                self._call(key, 0)
            if events & selectors.EVENT_WRITE:
                self._call(key, 1)
        self._run_timers()

    def close(self) -> None:
        self._selector.close()

    def _call(self, key: selectors.SelectorKey, which: int) -> None:
        """Call back, unless an earlier callback of this turn has unwatched or replaced it."""
        callback = key.data[which]
        if callback and self._watched.get(key.fd, (None, None))[which] == callback:
            callback()

    def _patience(self) -> float | None:
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0][0] - self.now()) if self._timers else None

    def _run_timers(self) -> None:
        now = self.now()
        while self._timers and self._timers[0][0] <= now:
            callback = heapq.heappop(self._timers)[2].callback
            if callback:
                callback()
