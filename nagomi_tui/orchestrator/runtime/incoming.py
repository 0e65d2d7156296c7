"""Reads bytes from a peer: once in each turn of the loop in which the socket is readable."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import anyio
from anyio.abc import SocketAttribute

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.abc import SocketStream

_READ_BYTES: Final = 256 * 1024


class Incoming:
    """The read side of one connection.

    The loop calls it back for as long as it runs. Awaiting each read would register the socket
    and wake a task every time, which takes longer than the echo of a key may.
    """

    def __init__(
        self,
        stream: SocketStream,
        take: Callable[[bytes], None],
        *,
        read_bytes: int = _READ_BYTES,
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
