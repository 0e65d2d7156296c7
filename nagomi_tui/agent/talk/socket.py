"""A connection on the agent's socket, from either side: messages out in whole lines, lines in."""

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
    """The other end has closed the connection, or does not read."""


class Line:
    """Lines both ways; any number of tasks may send."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._sending = anyio.Lock()

    async def send(self, message: wire.Message) -> None:
        """Send a message, whole even where the caller is cancelled meanwhile.

        Raises:
            Gone: nobody takes it.
        """
        try:
            async with self._sending:
                with anyio.fail_after(_SEND_SECONDS, shield=True):
                    await self._stream.send(wire.encode(message))
        except (*GONE, TimeoutError) as exc:
            raise Gone(str(exc)) from exc

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield whole lines until the other end has gone; one that is too long is left out."""
        splitter = LineSplitter(wire.LINE_LIMIT)
        try:
            async for data in self._stream:
                for line in splitter.feed(data):
                    if not isinstance(line, LineTooLong):
                        yield line
        except GONE:
            return
