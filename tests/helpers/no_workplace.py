"""A workplace for the tools where none runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from nagomi_tui.agent.tools.interface import ToolFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.api.messages import LineRows, Sent, SessionNamed, Standing, StoredLine
    from nagomi_tui.sessions.session import Session


class NoWorkplace:
    """A workplace without sessions: every request raises `ToolFault`."""

    async def list_sessions(self) -> tuple[Session, ...]:
        """Raise `ToolFault`."""
        _absent()

    async def find(self, session: str) -> Session:
        """Raise `ToolFault`."""
        _absent()

    async def lines(self, session: str, start: int, stop: int) -> LineRows:
        """Raise `ToolFault`."""
        _absent()

    async def why(self, session: str) -> Standing:
        """Raise `ToolFault`."""
        _absent()

    async def search_history(
        self, text: str, *, session: str = "", since: float = 0.0, limit: int = 100
    ) -> tuple[StoredLine, ...]:
        """Raise `ToolFault`."""
        _absent()

    async def send(self, session: str, text: str, *, enter: bool) -> Sent:
        """Raise `ToolFault`."""
        _absent()

    async def start(self, command: str, folder: str, name: str) -> SessionNamed:
        """Raise `ToolFault`."""
        _absent()

    async def stop(self, session: str) -> SessionNamed:
        """Raise `ToolFault`."""
        _absent()

    def seen_from(self, environment: Mapping[str, str]) -> Workplace:
        """Return itself."""
        return self


def _absent() -> NoReturn:
    raise ToolFault("No workplace runs here, so there are no sessions.")
