"""Serves the application by uvicorn, in a process that has its own event loop, signal handlers and sockets.

A client is a stranger until the headers of a request have passed the gate. Strangers have places of
their own, and of theirs the one that has waited longest makes room for the next one: whoever has the
token sends it at once, and gets in however many there are that hold connections and say nothing.
A request that may not pass is refused after its headers, and nothing of its body is read then.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Final

import anyio
import h11
import uvicorn
from starlette.datastructures import Headers
from uvicorn.protocols.http.h11_impl import H11Protocol

from nagomi_tui.agent.http.app import application
from nagomi_tui.agent.http.bodies import JSON, ApiServices, Refused
from nagomi_worker.wire import trust

MOST_CONNECTIONS: Final = 64
"""The most connections on one socket that a request has passed on; further ones get status 503."""
MOST_STRANGERS: Final = 32
"""The most connections of which no request has passed yet; the oldest makes room, with status 503."""
_MOST_LEAVING: Final = 64
"""The most refused connections that stay open until the client has read the refusal."""
REQUEST_SECONDS: Final = 10.0
"""The longest time for a client to send a request, from its first byte to its last."""
_LEAVE_SECONDS: Final = 1.0
_END_SECONDS: Final = 1
_HEADER_BYTES: Final = 16 * 1024


class HttpServer:
    """Serves one application on any number of sockets."""

    def __init__(self, services: ApiServices) -> None:
        self._app = application(services)

    async def serve(
        self, listener: socket.socket, token: Callable[[], str] | None = None, port: int = 0
    ) -> None:
        """Serve until cancelled, then close the socket within two seconds; on a TCP port only those who have the token."""
        server = _Server(self._config(_Door(Gate(token=token, port=port))))
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

    def _config(self, door: _Door) -> uvicorn.Config:
        return uvicorn.Config(
            self._app,
            loop="none",
            http=partial(_Connection, door),  # type: ignore[arg-type]
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


@dataclass
class _Door:
    """Who is connected to one socket, each oldest first."""

    gate: Gate
    strangers: dict[_Connection, None] = field(default_factory=dict)
    known: dict[_Connection, None] = field(default_factory=dict)
    leaving: dict[_Connection, None] = field(default_factory=dict)

    def forget(self, connection: _Connection) -> None:
        for places in (self.strangers, self.known, self.leaving):
            places.pop(connection, None)


class _Requests(h11.Connection):
    """Reads requests, and has each one's headers checked before its body is read."""

    def __init__(self, check: Callable[[h11.Request], None]) -> None:
        super().__init__(h11.SERVER, _HEADER_BYTES)
        self._check = check

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._check(event)
        return event


class _Connection(H11Protocol):
    """A connection with a deadline for requests; on Unix sockets, only from this user."""

    _deadline: asyncio.TimerHandle | None = None
    _leaves = False
    _heard_at = 0.0
    """When something of a client's was last thrown away; a client reads nothing while it still sends."""

    def __init__(self, door: _Door, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.conn = _Requests(self._check)
        self._door = door

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not _is_ours(transport):
            transport.abort()
            return
        if self._door.gate.wants_token:
            self._door.strangers[self] = None
        elif not self._enter():
            self._leave(_crowded())
            return
        self._begin_deadline()
        if len(self._door.strangers) > MOST_STRANGERS:
            next(iter(self._door.strangers))._leave(_crowded())

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_deadline()
        self._door.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._leaves:
            self._heard_at = self.loop.time()
        else:
            super().data_received(data)

    def shutdown(self) -> None:
        if self._leaves:
            self.transport.close()
        else:
            super().shutdown()

    def handle_events(self) -> None:
        try:
            super().handle_events()
        except Refused as exc:
            self._leave(exc)
        if self._leaves:
            return
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._begin_deadline()
        else:
            self._end_deadline()

    def send_400_response(self, msg: str) -> None:
        self._leave(_no_http())

    def _check(self, request: h11.Request) -> None:
        """Check a request's headers.

        Raises:
            Refused: it may not pass.
        """
        headers = Headers(raw=list(request.headers))
        # Whoever stands between could take the two lengths for two different requests.
        two_lengths = "content-length" in headers and "transfer-encoding" in headers
        if two_lengths or request.http_version not in (b"1.0", b"1.1"):
            raise _no_http()
        self._door.gate.check(headers)
        if not self._enter():
            raise _crowded()

    def _enter(self) -> bool:
        """Take a place among those of whom a request has passed; return False if none is free."""
        known = self._door.known
        if self not in known:
            if len(known) >= MOST_CONNECTIONS:
                return False
            self._door.forget(self)
            known[self] = None
        return True

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
            self._leave(Refused(408, "The request did not come in time.", "late"))

    def _leave(self, refused: Refused) -> None:
        """Send a refusal, and close later: closing at once could discard the unread answer."""
        self._leaves = True
        self._end_deadline()
        self._door.forget(self)
        if self.transport.is_closing():
            return
        self.transport.write(_raw_answer(refused))
        with contextlib.suppress(OSError):  # the client has gone
            self.transport.write_eof()
        self._door.leaving[self] = None
        self._end_leaving(self.loop.time() + REQUEST_SECONDS)
        if len(self._door.leaving) > _MOST_LEAVING:
            next(iter(self._door.leaving)).transport.abort()

    def _end_leaving(self, at: float) -> None:
        """Close once nothing has come for a moment, or at this time."""
        now = self.loop.time()
        if self._deadline is not None and not now < min(at, self._heard_at + _LEAVE_SECONDS):
            self.transport.abort()
        else:
            self._deadline = self.loop.call_later(_LEAVE_SECONDS, self._end_leaving, at)


def _is_ours(transport: Any) -> bool:
    peer = transport.get_extra_info("socket")
    if peer.family != getattr(socket, "AF_UNIX", None):
        return True
    try:
        return trust.is_ours(trust.peer_uid(peer))
    except OSError:
        return False


def _raw_answer(refused: Refused) -> bytes:
    told = refused.headers | {
        "content-type": JSON,
        "content-length": str(len(refused.body)),
        "connection": "close",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {refused.status} \r\n{head}\r\n".encode() + refused.body


def _crowded() -> Refused:
    return Refused(503, "Too many connections; come back in a moment.", "too_many")


def _no_http() -> Refused:
    return Refused(400, "This is no request of HTTP.", "bad_request")


NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
"""Accepted names in the `Host` header; another name may be an attack by DNS rebinding."""
_RATE: Final = 50.0
"""Requests per second on TCP, on average."""
_OWN_RATE: Final = 400.0
"""Requests per second on the Unix socket, on average; higher for programs that poll."""
_BURST: Final = 200.0


class Bucket:
    """A token bucket: limits the rate of requests, with unused ones saved up to a burst."""

    def __init__(
        self, rate: float, burst: float = _BURST, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._left, self._at = burst, now()

    def take(self) -> bool:
        """Take a request out of the bucket; return False if none is left."""
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Gate:
    """Checks the headers of requests on one socket, before a byte of a body is read."""

    def __init__(
        self, *, token: Callable[[], str] | None = None, port: int = 0, bucket: Bucket | None = None
    ) -> None:
        """`token` reads the token, and `port` is the TCP port; None and 0 for a Unix socket."""
        self._token = token
        self._hosts = {f"{name}:{port}" for name in NAMES} if port else set(NAMES)
        self._bucket = bucket or Bucket(_RATE if port else _OWN_RATE)

    @property
    def wants_token(self) -> bool:
        """Whether a client is a stranger until it has sent the token."""
        return self._token is not None

    def check(self, headers: Headers) -> None:
        """Check where a request comes from, then its token and the rate.

        Raises:
            Refused: the request may not pass.
        """
        self._check_host(headers)
        self._check_origin(headers)
        self._check_token(headers)
        if not self._bucket.take():
            sentence = "Too many requests; wait a moment."
            later = {"retry-after": "1"}
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, sentence, "too_many", headers=later)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "").lower()
        if len(headers.getlist("host")) != 1 or host not in self._hosts:
            sentence = "This is nagomi on localhost, which no other name of a host leads to."
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, sentence, "wrong_host")

    def _check_origin(self, headers: Headers) -> None:
        """Refuse pages in browsers, whatever their origin: nagomi has none."""
        site = headers.get("sec-fetch-site", "none").lower()
        if "origin" in headers or site not in ("none", "same-origin"):
            sentence = "Pages in a browser may not use nagomi."
            raise Refused(HTTPStatus.FORBIDDEN, sentence, "wrong_origin")

    def _check_token(self, headers: Headers) -> None:
        if self._token is None:
            return
        kind, _, told = headers.get("authorization", "").partition(" ")
        given = told.strip().encode("latin-1")
        if kind.lower() != "bearer" or not hmac.compare_digest(given, self._token().encode()):
            sentence = (
                "This needs the header `Authorization: Bearer TOKEN`; "
                "`nagomi api token` prints the token."
            )
            more = {"www-authenticate": 'Bearer realm="nagomi"'}
            raise Refused(HTTPStatus.UNAUTHORIZED, sentence, "unauthorized", headers=more)
