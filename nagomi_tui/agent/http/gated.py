"""The application behind its gates; it is loaded when somebody calls for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.http.app import application
from nagomi_tui.agent.http.gate import Gate
from nagomi_tui.agent.http.serving import serve

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from nagomi_tui.agent.http.ports import ApiServices


class Gated:
    """Serves one application on any number of sockets."""

    def __init__(self, services: ApiServices) -> None:
        self._app = application(services)

    async def serve(
        self, listener: socket.socket, token: Callable[[], str] | None = None, port: int = 0
    ) -> None:
        """Serve until cancelled; on a TCP port only those who have the token."""
        await serve(Gate(self._app, token=token, port=port), listener)
