"""Listens at the front-end socket, serves each client in a task, and limits how many there are."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from dataclasses import KW_ONLY, dataclass
from typing import Final

import anyio
from anyio.abc import SocketListener, SocketStream, TaskGroup

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.requests import Lifetime
from nagomi_tui.orchestrator.runtime.socket_io import Incoming
from nagomi_tui.orchestrator.runtime.timers import REACH_SECONDS, next_pulse
from nagomi_tui.orchestrator.server.dispatch import Dispatch
from nagomi_tui.orchestrator.server.greeting import Greeting
from nagomi_tui.orchestrator.sessions.audience import Audience, Client
from nagomi_tui.orchestrator.views.showing import Showing
from nagomi_tui.system import paths, sockets
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.words import translatable
from nagomi_worker.wire.framing import LineSplitter

_MOST: Final = 1000
_LOOK_SECONDS: Final = 0.2
_SILENT_SECONDS: Final = 2.0
"""Seconds that a client has for its hello, even while others wait for its place."""
_QUIET_SECONDS: Final = 60.0
"""Seconds without a crowd after which the user is told again of one."""


class Crowd:
    """Limits the number of clients: half of the open files allowed are kept for other work."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience
        self._most = min(_MOST, _files() // 2)
        self._full_at = float("-inf")

    async def accept(self, listener: SocketListener) -> SocketStream:
        """Return the next client, as soon as another one is allowed.

        Raises:
            ClosedResourceError: the listener was closed.
        """
        while True:
            try:
                if len(self._audience.clients) < self._most:
                    return await listener.accept()
            except anyio.BrokenResourceError:  # no file is free
                pass
            self._make_room()
            await anyio.sleep(_LOOK_SECONDS)

    def _make_room(self) -> None:
        now = time.monotonic()
        if now - self._full_at > _QUIET_SECONDS:
            sentence = translatable(
                "Too many programs are connected to nagomi; others wait until some end."
            )
            self._audience.tell("error", sentence)
        self._full_at = now
        for client in self._audience.clients:
            if client.hello is None and now - client.active_at > _SILENT_SECONDS:
                client.out.give_up()


def _files() -> int:
    """Return how many files this process may have open."""
    if WINDOWS:
        return 2 * _MOST
    import resource

    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 2 * _MOST


_log = logging.getLogger(__name__)
_READ_BYTES: Final = 4 * 1024
"""Bytes in one read, so that a client that sends much delays no others."""


@dataclass(eq=False)
class FrontEnds:
    """Serves every client in a task group of its own."""

    audience: Audience
    _: KW_ONLY
    greeting: Greeting
    dispatch: Dispatch
    showing: Showing
    lifetime: Lifetime

    def __post_init__(self) -> None:
        self._listener: SocketListener | None = None
        self._crowd = Crowd(self.audience)
        self._inode = (0, 0)

    async def listen(self, tasks: TaskGroup) -> None:
        """Begin to serve; the caller holds the orchestrator's lock, so an old socket is stale."""
        path = paths.make_socket_folder() / paths.FRONT
        before, self._listener = self._listener, await sockets.listen(path)
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
        """Send every client a goodbye, and end all connections."""
        if self._listener is not None:
            await self._listener.aclose()
        said = messages.Goodbye(reason="quit" if reason == "quit" else "reload")
        self.audience.broadcast(said)
        for client in list(self.audience.clients):
            await client.out.drain(patience=0.3)

    async def _serve(self, listener: SocketListener, tasks: TaskGroup) -> None:
        """Accept clients until the listener is closed; connected ones stay."""
        with contextlib.suppress(anyio.ClosedResourceError):
            while True:
                tasks.start_soon(self._client, await self._crowd.accept(listener))

    async def _client(self, stream: SocketStream) -> None:
        try:
            await sockets.admit(stream, paths.FRONT)
        except OSError as exc:
            _log.warning("a client is not let in: %s", exc)
            await stream.aclose()
            return
        client = Client(stream, on_drained=self.showing.drained)
        self.audience.clients.add(client)
        try:
            async with stream, anyio.create_task_group() as tasks:
                tasks.start_soon(self._write, client, tasks)
                await self.lifetime.settings_known.wait()
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
                self.dispatch.take(client, line, tasks)

        await Incoming(client.stream, take, read_bytes=_READ_BYTES).run()

    def _gone(self, client: Client) -> None:
        self.audience.clients.discard(client)
        self.showing.leave(client)
        self.greeting.left(client)
