"""The worker's connection to the orchestrator: lines in, messages out, a bounded buffer."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire.framing import LineSplitter, LineTooLong, StreamCut
from nagomi_worker.wire.protocol import Hello, Message, Raw, encode
from nagomi_worker.wire.slow_line import Pacing, Packer

FULL: Final = 256 * 1024
"""Unsent bytes from which on no more output is read from PTYs."""
_READ: Final = 64 * 1024
_REST_READS: Final = 64
_QUICK: Final = 8_000_000
"""Bytes a second from which on compressing would take longer than it spares."""
_FIRST_MOST: Final = 8 * 1024
"""Bytes beyond the window of a slow line that may be sent of what goes first: an echo."""
_PIPE_WRITE: Final = 4096
"""`PIPE_BUF`: bytes that a writable pipe takes without blocking."""


class Stream(Protocol):
    """Both directions of a connection; `read` returns `b""` at the end, `write` may be short."""

    eager: bool
    """A write never blocks, so it may be tried before the loop reports that it is ready."""

    def filenos(self) -> tuple[int, int]: ...
    def read(self) -> bytes: ...
    def write(self, data: memoryview) -> int: ...
    def close(self) -> None: ...


class SocketStream:
    """A connected socket."""

    eager = True

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._socket = connection

    def filenos(self) -> tuple[int, int]:
        return self._socket.fileno(), self._socket.fileno()

    def read(self) -> bytes:
        return self._socket.recv(_READ)

    def write(self, data: memoryview) -> int:
        return self._socket.send(data)

    def close(self) -> None:
        self._socket.close()


class PipeStream:
    """Two descriptors, left in blocking mode because other processes may share them.

    They are read and written only when the loop reports that they are ready.
    """

    eager = False

    def __init__(self, fd_in: int, fd_out: int) -> None:
        self._in, self._out = fd_in, fd_out

    def filenos(self) -> tuple[int, int]:
        return self._in, self._out

    def read(self) -> bytes:
        return os.read(self._in, _READ)

    def write(self, data: memoryview) -> int:
        return os.write(self._out, data[:_PIPE_WRITE])

    def close(self) -> None:
        os.close(self._in)
        os.close(self._out)


class Peer:
    """One connection; it never blocks, and `full` keeps its buffer bounded."""

    def __init__(
        self,
        loop: Loop,
        stream: Stream,
        *,
        on_line: Callable[[Peer, bytes | LineTooLong], None],
        on_drained: Callable[[], None],
        on_end: Callable[[Peer, StreamCut | None], None],
    ) -> None:
        """`on_drained` is called when the buffer takes more again, `on_end` once."""
        self._loop = loop
        self._stream = stream
        self._on_line, self._on_drained, self._on_end = on_line, on_drained, on_end
        self._splitter = LineSplitter()
        self._unsent = bytearray()
        self._held = False
        self._was_full = False
        self._hears = True
        self._broken = False
        self.open = True
        self.acks = False
        """The peer acknowledges output, so the credit of sessions is limited."""
        self.raw = False
        """It takes output as bytes behind a line."""
        self.answers = False
        """It answers programs of sessions."""
        self._packer: Packer | None = None
        self._pacing: Pacing | None = None
        """Set on a line that may be slow, whose far end tells what has arrived."""
        self._put_so_far = 0
        self._was_refused = False
        self._watch()

    @property
    def unsent(self) -> int:
        """Bytes that wait to be written."""
        return len(self._unsent)

    @property
    def paced(self) -> bool:
        """Tell whether the line may be slow."""
        return self._pacing is not None

    def takes(self, *, first: bool) -> bool:
        """Tell whether more output may be sent now; `on_drained` is called when it is so again.

        `first` is what somebody waits for: it may be sent when nothing else may.
        """
        if self._was_full:
            return False
        if self._pacing is None or self._pacing.room() > (-_FIRST_MOST if first else 0):
            return True
        self._was_refused = True
        return False

    def take_hello(self, hello: Hello) -> None:
        """Note the capabilities that the peer names."""
        self.acks = "ack" in hello.capabilities
        self.raw = "raw" in hello.capabilities
        self.answers = "inside" in hello.capabilities
        if "packed" in hello.capabilities and self._pacing is None:
            self._packer, self._pacing = Packer(), Pacing()
            self._pacing.went(self._put_so_far, self._loop.now())

    def received(self, size: int) -> None:
        """Note that so many bytes have arrived at the far end of the line."""
        if self._pacing is None:
            return
        self._pacing.came(size, self._loop.now())
        if self._was_refused and not self._was_full and self._pacing.room() > 0:
            self._was_refused = False
            self._on_drained()

    def send(self, *messages: Message) -> None:
        """Send messages in one piece, as soon as the connection takes them."""
        self._put([encode(*messages)])

    def send_raw(self, head: Raw, chunks: Sequence[bytes]) -> None:
        """Send the `raw` message, and behind its line the chunks as they are."""
        self._put([encode(head), *chunks])

    def hold(self) -> None:
        """Collect what is sent until `release` is called."""
        self._held = not self._unsent

    def release(self) -> None:
        """Send what was collected since `hold`."""
        if self._held:
            self._held = False
            if self._unsent and self.open:
                self._begin()

    def read_rest(self) -> None:
        """Handle what was received already, before another peer replaces this one."""
        reads = _REST_READS if self._stream.eager else 0
        while reads and self._hears and self.open:
            self._read()
            reads -= 1

    def close(self) -> None:
        """Close the connection; `on_end` is not called."""
        if self.open:
            self.open = False
            for fd in self._stream.filenos():
                self._loop.unwatch(fd)
            self._stream.close()

    def _put(self, pieces: Sequence[bytes]) -> None:
        if not self.open or self._broken:
            return
        waiting = bool(self._unsent) or self._held
        if self._packer is not None and self._pacing is not None and self._pacing.rate < _QUICK:
            pieces = [self._packer.pack(b"".join(pieces))]
        for piece in pieces:
            self._unsent += piece
        size = sum(map(len, pieces))
        self._put_so_far += size
        if self._pacing is not None:
            self._pacing.went(size, self._loop.now())
        if not waiting:
            self._begin()
        if len(self._unsent) >= FULL:
            self._was_full = True

    def _begin(self) -> None:
        """Write now if that cannot block, else when the loop reports that it is ready."""
        if self._stream.eager:
            self._write()
        else:
            self._watch()

    def _watch(self) -> None:
        fd_in, fd_out = self._stream.filenos()
        read = self._read if self._hears else None
        write = self._write if self._unsent else None
        if fd_in == fd_out:
            self._loop.watch(fd_in, read=read, write=write)
        else:
            self._loop.watch(fd_in, read=read, write=None)
            self._loop.watch(fd_out, read=None, write=write)

    def _read(self) -> None:
        try:
            data = self._stream.read()
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._hears = False
            self._watch()
            self._loop.call_later(0, self._tell_end)
        for line in self._splitter.feed(data):
            self._on_line(self, line)

    def _write(self) -> None:
        try:
            with memoryview(self._unsent) as view:
                written = self._stream.write(view)
        except BlockingIOError:
            written = 0
        except OSError:
            self._break()
            return
        del self._unsent[:written]
        self._watch()
        if self._was_full and len(self._unsent) <= FULL // 4:
            self._was_full = False
            self._loop.call_later(0, self._on_drained)

    def _break(self) -> None:
        """Give up sending; `on_end` is called later, never inside `send`."""
        self._broken = True
        self._unsent.clear()
        self._watch()
        self._loop.call_later(0, self._tell_end)

    def _tell_end(self) -> None:
        if self._broken:
            self.read_rest()
        if not self.open:
            return
        try:
            self._splitter.close()
        except StreamCut as cut:
            self._on_end(self, cut)
        else:
            self._on_end(self, None)
