"""The agent's socket, for all clients that talk with the agent."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui import paths, sockets
from nagomi_tui.agent.resident.client import Client
from nagomi_tui.agent.talk.socket import GONE, Line
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.abc import SocketStream, TaskStatus

    from nagomi_tui.agent.turns.library import Library

_log = logging.getLogger(__name__)
MOST_CLIENTS: Final = 64
"""Most clients at a time; others wait until one has gone."""


class Server:
    """Serves each client in a task of its own; the caller holds the agent's lock."""

    def __init__(self, library: Library, speak: Callable[[str], object]) -> None:
        """`speak` has the character say a sentence."""
        self._library = library
        self._speak = speak
        self._slots = anyio.Semaphore(MOST_CLIENTS)

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Listen for ever, from the moment that the task has started; an old socket is stale."""
        path = paths.make_socket_folder() / paths.AGENT
        listener = await sockets.listen(path)
        task_status.started()
        try:
            await listener.serve(self._client)
        finally:
            with contextlib.suppress(OSError):
                path.unlink()

    async def _client(self, stream: SocketStream) -> None:
        async with stream, self._slots:
            try:
                await sockets.admit(stream, paths.AGENT)
                await Client(self._library, Line(stream), self._speak).run()
            except trust.Untrusted as exc:
                _log.warning("a client is not let in: %s", exc)
            except GONE as exc:
                _log.info("a client has gone: %s", exc)
            except Exception:
                _log.exception("a client's connection ends")
