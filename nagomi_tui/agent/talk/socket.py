"""A connection on the agent's socket, for both client and agent: sends messages, reads lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.agent.talk import wire
from nagomi_worker.wire.framing import LineSplitter, LineTooLong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import ByteStream

GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)
_SEND_SECONDS: Final = 30.0


class Gone(ConnectionError):
    """The other end has closed the connection, or has not read for too long."""


class Line:
    """A connection that carries one message a line; many tasks may send at the same time."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._sending = anyio.Lock()

    async def send(self, message: wire.Message) -> None:
        """Send a message; once begun, it is sent whole even if the caller is cancelled.

        Raises:
            Gone: the connection is closed, or the other end did not read the message in 30 s.
        """
        try:
            async with self._sending:
                with anyio.fail_after(_SEND_SECONDS, shield=True):
                    await self._stream.send(wire.encode(message))
        except (*GONE, TimeoutError) as exc:
            raise Gone(str(exc)) from exc

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield whole lines until the connection ends; lines over `LINE_LIMIT` are left out."""
        splitter = LineSplitter(wire.LINE_LIMIT)
        try:
            async for data in self._stream:
                for line in splitter.feed(data):
                    if not isinstance(line, LineTooLong):
                        yield line
        except GONE:
            return
