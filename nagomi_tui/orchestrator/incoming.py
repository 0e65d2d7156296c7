"""Bytes from a peer as lines: one wait of the loop for all that has come meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio
from anyio.abc import SocketAttribute

from nagomi_worker.framing import LineSplitter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import SocketStream

    from nagomi_worker.framing import LineTooLong

_READ_BYTES: Final = 256 * 1024


class Incoming:
    """The read side of one connection.

    It reads the socket itself: a stream's `receive` costs more of the loop's time than what a
    key's echo needs, since it tries, fails and registers anew for every piece.
    """

    def __init__(self, stream: SocketStream, limit: int) -> None:
        self._socket = stream.extra(SocketAttribute.raw_socket)
        self._splitter = LineSplitter(limit)

    async def lines(self) -> AsyncIterator[list[bytes | LineTooLong]]:
        """Give what has come, whole lines only, until the peer has gone."""
        fd = self._socket.fileno()
        while fd >= 0:
            try:
                await anyio.wait_readable(fd)
                data = self._socket.recv(_READ_BYTES)
            except (BlockingIOError, InterruptedError):
                continue
            except (OSError, anyio.ClosedResourceError):
                return
            if not data:
                return
            yield self._splitter.feed(data)
            fd = self._socket.fileno()
