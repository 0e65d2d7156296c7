"""The thread that serves the terminal and the orchestrator's socket.

It keeps a key's echo at a millisecond while Textual's loop is busy with lanes and dialogs.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import heapq
import itertools
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from nagomi_tui.api.client import open_socket
from nagomi_worker.wire import transport

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


_READ_BYTES: Final = 256 * 1024
_READS_A_TURN: Final = 4
"""Reads from the socket in one turn, before keys are read again."""


def connect(address: Path | None = None) -> socket.socket:
    """Return a connection to this workplace's front-end socket, or to the one at `address`.

    Raises:
        OSError: nobody of ours listens there.
    """
    connection = transport.connect_to(str(address)) if address else open_socket()
    connection.setblocking(False)
    return connection


@dataclass(eq=False)
class LineSocket:
    """A connected socket in the IO thread."""

    connection: socket.socket
    io: IoThread
    _: KW_ONLY
    on_line: Callable[[bytes], object]
    on_closed: Callable[[], object]

    def __post_init__(self) -> None:
        self._pieces: list[bytes] = []
        self._waiting: deque[bytes] = deque()
        self._open = True
        self._stuck = False
        """Whether the socket has not taken all of what was sent."""
        self.io.watch(self.connection, READ, self._ready)

    def send(self, line: bytes) -> None:
        """Send a line now, or as soon as the socket takes it."""
        if not self._open:
            return
        self._waiting.append(line)
        if len(self._waiting) == 1:
            self._flush()

    def close(self) -> None:
        """Close the connection; `on_closed` is not called."""
        if self._open:
            self._open = False
            self.io.unwatch(self.connection)
            self.connection.close()

    def _ready(self, events: int) -> None:
        if events & WRITE:
            self._flush()
        if events & READ and self._open:
            self._read()

    def _read(self) -> None:
        for _ in range(_READS_A_TURN):
            try:
                data = self.connection.recv(_READ_BYTES)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._lost()
                return
            self._split(data)
            if len(data) < _READ_BYTES:
                return

    def _split(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            if self._pieces:
                end = b"".join((*self._pieces, end))
                self._pieces.clear()
            if end and self._open:
                self.on_line(end)
        if rest:
            self._pieces.append(rest)

    def _flush(self) -> None:
        try:
            while self._waiting:
                line = self._waiting[0]
                sent = self.connection.send(line)
                if sent < len(line):
                    self._waiting[0] = line[sent:]
                else:
                    self._waiting.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self._lost()
            return
        if bool(self._waiting) is not self._stuck:
            self._stuck = not self._stuck
            events = READ | WRITE if self._stuck else READ
            self.io.watch(self.connection, events, self._ready)

    def _lost(self) -> None:
        if self._open:
            self.close()
            self.on_closed()
