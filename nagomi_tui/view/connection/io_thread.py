"""The front end's one thread beside Textual's: it serves the terminal and the socket.

It keeps a key's echo at a millisecond while Textual's loop is busy with lanes and dialogs.
"""

from __future__ import annotations

import heapq
import itertools
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

Work: TypeAlias = Callable[[], object]

READ: Final = selectors.EVENT_READ
WRITE: Final = selectors.EVENT_WRITE
_PATIENCE: Final = 2.0
"""Seconds for which another thread waits for a call at most."""


class Timer:
    """A delayed call; `cancel` it from the IO thread only."""

    __slots__ = ("at", "work")

    def __init__(self, at: float, work: Work) -> None:
        self.at = at
        self.work: Work | None = work

    def cancel(self) -> None:
        """Cancel the call."""
        self.work = None


class IoThread:
    """A selector loop in a thread. `call` and `stop` are for any thread, the rest for its own."""

    def __init__(self, on_error: Callable[[Exception], object]) -> None:
        self.on_turn: list[Work] = []
        """Called at the end of each turn of the loop, when all input that was ready has been read."""
        self.last_activity = time.monotonic()
        self._on_error = on_error
        self._selector = selectors.DefaultSelector()
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._selector.register(self._wake_reader, READ, self._woken)
        self._calls: deque[Work] = deque()
        self._timers: list[tuple[float, int, Timer]] = []
        self._count = itertools.count()
        self._thread: threading.Thread | None = None
        self._stopping = False

    @property
    def inside(self) -> bool:
        """Whether the caller is this thread."""
        return threading.current_thread() is self._thread

    def start(self) -> None:
        """Start the thread; a second call does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="nagomi-io", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        if not self._stopping:
            self._stopping = True
            self._wake()
            if self._thread is None:
                self._close()
        if self._thread is not None and not self.inside:
            self._thread.join(timeout=5)

    def call(self, work: Work) -> None:
        """Call `work` in the thread soon, in the order of these calls."""
        self._calls.append(work)
        if not self.inside:
            self._wake()

    def call_and_wait(self, work: Work) -> None:
        """Call `work` in the thread, and return when that is done, or after two seconds."""
        if self.inside or self._thread is None:
            work()
            return
        finished = threading.Event()
        self.call(work)
        self.call(finished.set)
        finished.wait(_PATIENCE)

    def after(self, seconds: float, work: Work) -> Timer:
        """Call `work` in `seconds`."""
        timer = Timer(time.monotonic() + seconds, work)
        heapq.heappush(self._timers, (timer.at, next(self._count), timer))
        return timer

    def touch(self) -> None:
        """Note that there is activity, during which no garbage should be collected."""
        self.last_activity = time.monotonic()

    def watch(self, fd: int | socket.socket, events: int, work: Callable[[int], object]) -> None:
        """Call `work` with the events for which `fd` is ready; this replaces an earlier watch of `fd`."""
        if fd in self._selector.get_map():
            self._selector.modify(fd, events, work)
        else:
            self._selector.register(fd, events, work)

    def unwatch(self, fd: int | socket.socket) -> None:
        """Stop watching `fd`."""
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def _wake(self) -> None:
        try:
            self._wake_writer.send(b"\0")
        except (BlockingIOError, OSError):
            return  # a wake-up is on its way already, or nobody is left to be woken

    def _woken(self, _ready: int) -> None:
        try:
            self._wake_reader.recv(4096)
        except BlockingIOError:
            return

    def _run(self) -> None:
        try:
            while not self._stopping:
                self._turn()
        finally:
            self._close()

    def _close(self) -> None:
        self._selector.close()
        self._wake_reader.close()
        self._wake_writer.close()

    def _turn(self) -> None:
        for key, ready in self._selector.select(self._patience()):
            self._do(lambda work=key.data, ready=ready: work(ready))  # type: ignore[misc]
        self._ring()
        while self._calls:
            self._do(self._calls.popleft())
        for work in self.on_turn:
            self._do(work)

    def _patience(self) -> float | None:
        if self._calls:
            return 0.0
        while self._timers and self._timers[0][2].work is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None

    def _ring(self) -> None:
        while self._timers and self._timers[0][0] <= time.monotonic():
            if (work := heapq.heappop(self._timers)[2].work) is not None:
                self._do(work)

    def _do(self, work: Work) -> None:
        try:
            work()
        except Exception as exc:
            self._on_error(exc)
