"""Reads and writes the bytes of a connection, without anyio's streams."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Final

import anyio
from anyio.abc import SocketAttribute, SocketStream

_READ_BYTES: Final = 256 * 1024


class Incoming:
    """The read side of one connection.

    The loop calls it back for as long as it runs. Awaiting each read would register the socket
    and wake a task every time, which takes longer than the echo of a key may.
    """

    def __init__(
        self, stream: SocketStream, take: Callable[[bytes], None], *, read_bytes: int = _READ_BYTES
    ) -> None:
        self._socket = stream.extra(SocketAttribute.raw_socket)
        self._take = take
        self._read_bytes = read_bytes
        self._ended = anyio.Event()
        self._fault: Exception | None = None

    async def run(self) -> None:
        """Call `take` with what was read, until the peer has gone.

        An exception of `take` ends this, and is raised here.
        """
        fd = self._socket.fileno()
        if fd < 0:
            return
        loop = asyncio.get_running_loop()
        try:
            loop.add_reader(fd, self._readable)
        except NotImplementedError:  # the loop of Windows, which knows processes, but no sockets
            await self._wait_each_time()
        else:
            try:
                await self._ended.wait()
            finally:
                loop.remove_reader(fd)
        if self._fault is not None:
            raise self._fault

    async def _wait_each_time(self) -> None:
        while not self._ended.is_set():
            try:
                await anyio.wait_readable(self._socket)
            except (OSError, ValueError, anyio.ClosedResourceError):
                return
            self._readable()

    def _readable(self) -> None:
        try:
            data = self._socket.recv(self._read_bytes)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data or self._ended.is_set():
            self._ended.set()
            return
        try:
            self._take(data)
        except Exception as fault:
            self._fault = fault
            self._ended.set()


_PIECE: Final = 256 * 1024


class Outgoing:
    """The write side of one connection. `write` never waits; its owner checks `pending`."""

    def __init__(
        self, stream: SocketStream, *, on_drained: Callable[[], None] | None = None
    ) -> None:
        self._socket = stream.extra(SocketAttribute.raw_socket)
        self._on_drained = on_drained
        self._buffer = bytearray()
        self._held = False
        """Whether nothing of the buffer was offered to the socket yet."""
        self._wanted = anyio.Event()
        self._emptied = anyio.Event()
        self.broken = False

    @property
    def pending(self) -> int:
        """Bytes that the peer has not taken yet."""
        return len(self._buffer)

    def write(self, data: bytes) -> None:
        """Send what the socket takes now, and the rest as soon as it takes more."""
        if self.broken:
            return
        if self._held:
            self._held = False
            data = bytes(self._buffer) + data
            self._buffer.clear()
        if not self._buffer:
            taken = self._send(data)
            if taken == len(data):
                return
            data = data[taken:]
        if not self.broken:
            self._buffer += data
            self._wanted.set()

    def hold(self, data: bytes) -> None:
        """Buffer this for the next `write` or `flush`, so that the peer wakes once for both."""
        if not self.broken:
            self._held = self._held or not self._buffer
            self._buffer += data

    def flush(self) -> None:
        """Send what was held."""
        if self._held:
            self.write(b"")

    async def run(self) -> None:
        """Send what is buffered, until the connection breaks."""
        while not self.broken:
            await self._wanted.wait()
            while self._buffer and not self.broken:
                await anyio.wait_writable(self._socket)
                # A copy: a view would forbid to clear the buffer when the peer turns out to be gone.
                taken = self._send(self._buffer[:_PIECE])
                del self._buffer[:taken]
            self._wanted = anyio.Event()
            self._emptied.set()
            self._emptied = anyio.Event()
            if self._on_drained and not self.broken:
                self._on_drained()

    async def drain(self, *, patience: float) -> None:
        """Wait until everything was sent, for at most `patience` seconds."""
        with anyio.move_on_after(patience):
            while self._buffer and not self.broken:
                await self._emptied.wait()

    def give_up(self) -> None:
        """Close the connection and drop the buffer: the peer has gone, or does not read."""
        self.broken = True
        self._buffer.clear()
        self._wanted.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _send(self, data: bytes | bytearray) -> int:
        try:
            return self._socket.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            self.give_up()
            return 0
