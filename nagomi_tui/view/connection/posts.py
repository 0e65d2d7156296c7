"""Makes calls on Textual's loop from any thread, in order."""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Hashable

_SLICE_SECONDS: Final = 0.02
"""Seconds for which the loop makes posted calls before it turns to keys and timers again."""


class Posts:
    """Calls for the loop. One wake-up makes all that were posted before it, for a slice of time."""

    def __init__(self, on_error: Callable[[Exception], object]) -> None:
        self._on_error = on_error
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.copy_context()
        self._works: deque[Callable[[], object]] = deque()
        self._newest: dict[Hashable, Callable[[], object]] = {}
        self._lock = threading.Lock()
        self._waking = False

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Make the calls on `loop` from now on, in the context of this call."""
        self._loop = loop
        self._context = contextvars.copy_context()

    def post(self, work: Callable[[], object], *, instead: Hashable = None) -> None:
        """Call `work` on the loop soon, in the order of posting.

        It replaces a call that was posted with an equal `instead` and was not made yet.
        """
        if instead is not None:
            with self._lock:
                waits = instead in self._newest
                self._newest[instead] = work
            if waits:
                return
            work = partial(self._do_newest, instead)
        self._works.append(work)
        self._wake()

    def _wake(self) -> None:
        if not self._waking and self._loop is not None:
            self._waking = True
            with contextlib.suppress(RuntimeError):  # the loop may be closed already
                self._loop.call_soon_threadsafe(self._run, context=self._context.copy())

    def _do_newest(self, key: Hashable) -> None:
        with self._lock:
            work = self._newest.pop(key)
        work()

    def _run(self) -> None:
        self._waking = False
        until = time.monotonic() + _SLICE_SECONDS
        while self._works and time.monotonic() < until:
            work = self._works.popleft()
            try:
                work()
            except Exception as exc:
                # What was posted after it must still be done.
                self._on_error(exc)
        if self._works:
            self._wake()
