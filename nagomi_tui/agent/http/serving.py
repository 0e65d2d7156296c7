"""Runs uvicorn inside a process that has its own event loop, signal handlers and sockets."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING, Any, Final

import anyio
import h11
import msgspec
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from nagomi_tui.agent.http.bodies import Fault
from nagomi_tui.agent.http.refused import JSON
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterator

    from starlette.types import ASGIApp

MOST_CONNECTIONS: Final = 64
"""The most connections on one socket; further ones get a refusal with status 503."""
_MOST_LEAVING: Final = 64
"""The most refused connections that stay open until the client has read the refusal."""
REQUEST_SECONDS: Final = 10.0
"""The longest time for a client to send a request, from its first byte to its last."""
_LEAVE_SECONDS: Final = 1.0
_END_SECONDS: Final = 1
_HEADER_BYTES: Final = 16 * 1024


async def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve on a bound socket until cancelled, then close the socket within two seconds."""
    server = _Server(_config(app))
    ended = anyio.Event()

    async def run() -> None:
        with anyio.CancelScope(shield=True):
            await server.serve(sockets=[listener])
        ended.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        try:
            await ended.wait()
        finally:
            server.should_exit = True


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="none",
        http=_Connection,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_END_SECONDS,
        h11_max_incomplete_event_size=_HEADER_BYTES,
    )


class _Server(uvicorn.Server):
    """A uvicorn server that installs no signal handlers."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Connection(H11Protocol):
    """A connection with a deadline for requests; on Unix sockets, only from this user."""

    _deadline: asyncio.TimerHandle | None = None
    _leaves = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        crowd = len(self.connections)
        super().connection_made(transport)
        if crowd >= MOST_CONNECTIONS + _MOST_LEAVING or not _is_ours(transport):
            transport.abort()
        elif crowd >= MOST_CONNECTIONS:
            self._leave(503, "Too many connections; come back in a moment.", "too_many")
        else:
            self._begin_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._leaves:
            super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        if self._leaves:
            return
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._begin_deadline()
        else:
            self._end_deadline()

    def send_400_response(self, msg: str) -> None:
        self._leave(400, "This is no request of HTTP.", "bad_request")

    def _begin_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self._too_slow)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.SEND_BODY and self.cycle.response_started:
            self.transport.close()
        else:
            self._leave(408, "The request did not come in time.", "late")

    def _leave(self, status: int, sentence: str, code: str) -> None:
        """Send a refusal, and close later: closing at once could discard the unread answer."""
        self._leaves = True
        self._end_deadline()
        self.transport.write(_raw_answer(status, Fault(error=sentence, code=code)))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._deadline = self.loop.call_later(_LEAVE_SECONDS, self.transport.abort)


def _is_ours(transport: Any) -> bool:
    peer = transport.get_extra_info("socket")
    if peer.family != getattr(socket, "AF_UNIX", None):
        return True
    try:
        return trust.is_ours(trust.peer_uid(peer))
    except OSError:
        return False


def _raw_answer(status: int, fault: Fault) -> bytes:
    body = msgspec.json.encode(fault)
    head = (
        f"HTTP/1.1 {status} \r\ncontent-type: {JSON}\r\ncontent-length: {len(body)}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + body
