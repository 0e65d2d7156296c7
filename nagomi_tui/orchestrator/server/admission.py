"""Accepts clients one after the other, and lets them wait while there are too many."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Collection

    from anyio.abc import SocketListener, SocketStream

    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.sessions.audience import Tell

_MOST: Final = 1000
_LOOK_SECONDS: Final = 0.2
_SILENT_SECONDS: Final = 2.0
"""Seconds that a client has for its hello, even while others wait for its place."""
_QUIET_SECONDS: Final = 60.0
"""Seconds without a crowd after which the user is told again of one."""


class Crowd:
    """Limits the number of clients: half of the open files allowed are kept for other work."""

    def __init__(self, clients: Collection[Client], tell: Tell) -> None:
        self._clients = clients
        self._tell = tell
        self._most = min(_MOST, _files() // 2)
        self._full_at = float("-inf")

    async def accept(self, listener: SocketListener) -> SocketStream:
        """Return the next client, as soon as another one is allowed.

        Raises:
            ClosedResourceError: the listener was closed.
        """
        while True:
            try:
                if len(self._clients) < self._most:
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
            self._tell("error", sentence)
        self._full_at = now
        for client in self._clients:
            if client.hello is None and now - client.active_at > _SILENT_SECONDS:
                client.out.give_up()


def _files() -> int:
    """Return how many files this process may have open."""
    if sys.platform == "win32":
        return 2 * _MOST
    import resource

    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 2 * _MOST
