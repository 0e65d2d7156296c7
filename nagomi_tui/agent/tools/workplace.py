"""What the tools need of a workplace, and the one that stands in where none runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn, Protocol

from nagomi_tui.agent.tools.interface import ToolFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.api.messages import LineRows, Sent, SessionNamed, Standing, StoredLine
    from nagomi_tui.core.session.session import Session

CONSENT_PROGRAM: Final = "nagomi_tui.agent.mcp.asking"
"""The program of a session that asks for consent, into which only the user may type."""
_ABSENT: Final = "No workplace runs here, so there are no sessions. `nagomi` starts one."


class Workplace(Protocol):
    """The sessions of one workplace; a session is named by its number, name, id or a prefix.

    Everything raises `ToolFault` with a sentence when it cannot be done. Texts come as they were
    printed: whoever shows them masks them.
    """

    async def list_sessions(self) -> tuple[Session, ...]:
        """Return all sessions in their order."""

    async def find(self, session: str) -> Session:
        """Return the session that is meant."""

    async def lines(self, session: str, start: int, stop: int) -> LineRows:
        """Return rows by number, at most 1000, and which rows there are."""

    async def why(self, session: str) -> Standing:
        """Return how a session stands, and why."""

    async def search_history(
        self, text: str, *, session: str = "", since: float = 0.0, limit: int = 100
    ) -> tuple[StoredLine, ...]:
        """Return the newest stored lines that hold the text, oldest first; `since` is in epoch seconds."""

    async def send(self, session: str, text: str, *, enter: bool) -> Sent:
        """Type a text into a session, unless a question or a draft stands there."""

    async def start(self, command: str, folder: str, name: str) -> SessionNamed:
        """Start a session."""

    async def stop(self, session: str) -> SessionNamed:
        """End a session's process tree."""

    def seen_from(self, environment: Mapping[str, str]) -> Workplace:
        """Return the same workplace for somebody whose environment is to be that of new sessions."""


class NoWorkplace:
    """Says of everything that no workplace runs."""

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
    raise ToolFault(_ABSENT)
