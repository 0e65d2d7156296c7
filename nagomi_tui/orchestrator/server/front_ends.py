"""The socket for front ends and commands: greets clients, and hands on what they say."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec
from anyio.abc import SocketAttribute

from nagomi_tui import __version__, paths
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.incoming import Incoming
from nagomi_tui.orchestrator.runtime.pulse import REACH_SECONDS, next_pulse
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.server.admission import Crowd
from nagomi_tui.orchestrator.server.client import Client
from nagomi_tui.words import translatable
from nagomi_worker.wire import trust
from nagomi_worker.wire.framing import LineSplitter, LineTooLong

if TYPE_CHECKING:
    from anyio.abc import SocketListener, SocketStream, TaskGroup

    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime
    from nagomi_tui.orchestrator.runtime.throttle import Throttle
    from nagomi_tui.orchestrator.server.greeting import Greeting
    from nagomi_tui.orchestrator.server.handlers.unanswered import UnansweredMessages
    from nagomi_tui.orchestrator.server.requests import Requests
    from nagomi_tui.orchestrator.sessions.audience import Audience
    from nagomi_tui.orchestrator.views.showing import Showing

_log = logging.getLogger(__name__)
_MOST_ASKED: Final = 500
"""Requests of one client that wait for their answers."""
_READ_BYTES: Final = 4 * 1024
"""A client that says much has others served in between."""


class FrontEnds:
    """Serves every client in a task group of its own."""

    def __init__(
        self,
        clients: set[Client],
        audience: Audience,
        *,
        greeting: Greeting,
        requests: Requests,
        unanswered: UnansweredMessages,
        showing: Showing,
        lifetime: Lifetime,
        throttle: Throttle,
    ) -> None:
        self._clients = clients
        self._audience = audience
        self._greeting = greeting
        self._requests = requests
        self._unanswered = unanswered
        self._showing = showing
        self._lifetime = lifetime
        self._throttle = throttle
        self._listener: SocketListener | None = None
        self._crowd = Crowd(clients, audience.tell)
        self._inode = (0, 0)

    async def listen(self, tasks: TaskGroup) -> None:
        """Begin to serve; the caller holds the orchestrator's lock, so an old socket is stale."""
        path = paths.make_socket_folder() / paths.FRONT
        path.unlink(missing_ok=True)
        before, self._listener = self._listener, await anyio.create_unix_listener(path, mode=0o600)
        found = path.stat()
        self._inode = (found.st_dev, found.st_ino)
        if before is not None:
            await before.aclose()
        tasks.start_soon(self._serve, self._listener, tasks)

    async def keep_reachable(self, tasks: TaskGroup) -> None:
        """Make the socket anew, for ever, whenever somebody has deleted it."""
        while True:
            await next_pulse(REACH_SECONDS)
            try:
                await self._reach(tasks)
            except OSError as exc:
                _log.warning("the socket cannot be made again: %s", exc)

    async def _reach(self, tasks: TaskGroup) -> None:
        try:
            found = os.stat(paths.front_end_socket())
            gone = (found.st_dev, found.st_ino) != self._inode
        except OSError:
            gone = True
        if gone:
            await self.listen(tasks)

    async def close(self, reason: str) -> None:
        """Tell every client that we leave, and end all connections."""
        if self._listener is not None:
            await self._listener.aclose()
        said = messages.Goodbye(reason="quit" if reason == "quit" else "reload")
        self._audience.broadcast(said)
        for client in list(self._clients):
            await client.out.drain(patience=0.3)

    async def _serve(self, listener: SocketListener, tasks: TaskGroup) -> None:
        """Take clients in until the listener is closed; those that are there stay."""
        with contextlib.suppress(anyio.ClosedResourceError):
            while True:
                tasks.start_soon(self._client, await self._crowd.accept(listener))

    async def _client(self, stream: SocketStream) -> None:
        try:
            trust.check_peer(stream.extra(SocketAttribute.raw_socket), "front")
        except OSError as exc:
            _log.warning("a client is not let in: %s", exc)
            await stream.aclose()
            return
        client = Client(stream, on_drained=self._showing.drained)
        self._clients.add(client)
        try:
            async with stream, anyio.create_task_group() as tasks:
                tasks.start_soon(self._write, client, tasks)
                await self._lifetime.settings_known.wait()
                await self._read(client, tasks)
                tasks.cancel_scope.cancel()
        except* (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        except* Exception:
            _log.exception("client %d", client.number)
        finally:
            self._gone(client)

    async def _write(self, client: Client, tasks: TaskGroup) -> None:
        await client.out.run()
        tasks.cancel_scope.cancel()

    async def _read(self, client: Client, tasks: TaskGroup) -> None:
        splitter = LineSplitter(messages.LINE_LIMIT)

        def take(data: bytes) -> None:
            for line in splitter.feed(data):
                self._line(client, line, tasks)

        await Incoming(client.stream, take, read_bytes=_READ_BYTES).run()

    def _line(self, client: Client, line: bytes | LineTooLong, tasks: TaskGroup) -> None:
        try:
            if isinstance(line, LineTooLong):
                raise messages.BadMessage(str(line))
            message = messages.decode_from_client(line)
            if not isinstance(message, (messages.Taken, messages.View, messages.Looking)):
                client.active_at = time.monotonic()
            if isinstance(message, messages.Request):
                self._asked(client, message, tasks)
            else:
                self._unanswered.take(client, message)
        except messages.BadMessage as exc:
            self._misfit(client, line, exc)
        except Exception:
            _log.exception("client %d: a line was not carried out", client.number)

    def _asked(self, client: Client, request: messages.Request[Any], tasks: TaskGroup) -> None:
        if client.asked < _MOST_ASKED:
            client.asked += 1
            tasks.start_soon(self._answer, client, request)
        else:
            sentence = translatable("Too many requests wait for their answers already.")
            client.fail(request, Refusal("refused", sentence))

    async def _answer(self, client: Client, request: messages.Request[Any]) -> None:
        try:
            await self._requests.answer(client, request)
        finally:
            client.asked -= 1

    def _misfit(self, client: Client, line: bytes | LineTooLong, exc: Exception) -> None:
        """Answer a request that does not fit by its id; other lines are only noted."""
        note = partial(_log.warning, "client %d: %s", client.number, exc)
        self._throttle.call(("misfit", client.number), note, every=1.0, burst=5)
        said = _request_in(line) if isinstance(line, bytes) else None
        if said is not None:
            client.fail(messages.Ping(id=said.id), _why_not(said.type, exc))

    def _gone(self, client: Client) -> None:
        self._clients.discard(client)
        self._showing.leave(client)
        self._greeting.left(client)


class _Misfit(msgspec.Struct):
    """What could be read of a request that does not fit."""

    id: int
    type: str = ""


def _request_in(line: bytes) -> _Misfit | None:
    """Return what could be read of a line, if it is a request."""
    try:
        return msgspec.json.decode(line, type=_Misfit)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _why_not(kind: str, exc: Exception) -> Refusal:
    """Return why a request is not understood; one of a newer client is named."""
    if not kind or kind in messages.FROM_CLIENT:
        return Refusal(
            "bad_request", translatable("This request does not fit: {reason}."), reason=exc
        )
    sentence = translatable(
        "nagomi {version}, which runs here, does not know the request `{request}`; "
        "`nagomi reload` goes over to the installed version."
    )
    return Refusal("bad_request", sentence, version=__version__, request=kind)
