"""What the tools need from a workplace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.api.messages import LineRows, Sent, SessionNamed, Standing, StoredLine
    from nagomi_tui.core.session.session import Session

CONSENT_PROGRAM: Final = "nagomi_tui.agent.mcp.asking"
"""The module that a session runs to ask the user for consent; only the user may type there."""


class Workplace(Protocol):
    """The sessions of one workplace.

    A parameter `session` is a number, a name, an id or a unique prefix. Each method raises
    `ToolFault` if it fails. Texts are not masked; the caller has to mask their secrets.
    """

    async def list_sessions(self) -> tuple[Session, ...]:
        """Return all sessions in their order."""

    async def find(self, session: str) -> Session:
        """Return the session with a number, name, id or unique prefix."""

    async def lines(self, session: str, start: int, stop: int) -> LineRows:
        """Return the rows from `start` to before `stop`, and the numbers of all rows there are.

        At most 1000 rows are returned.
        """

    async def why(self, session: str) -> Standing:
        """Return the judge's verdict on a session, with its evidence."""

    async def search_history(
        self, text: str, *, session: str = "", since: float = 0.0, limit: int = 100
    ) -> tuple[StoredLine, ...]:
        """Return the newest stored lines that contain the text, oldest first.

        `since` is in seconds since the epoch.
        """

    async def send(self, session: str, text: str, *, enter: bool) -> Sent:
        """Type a text into a session; refused if the session shows a question or holds a draft."""

    async def start(self, command: str, folder: str, name: str) -> SessionNamed:
        """Start a session that runs a shell command in a folder."""

    async def stop(self, session: str) -> SessionNamed:
        """End a session's process tree."""

    def seen_from(self, environment: Mapping[str, str]) -> Workplace:
        """Return the same workplace, which starts sessions with this environment."""
