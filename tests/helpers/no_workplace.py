"""A workplace for the tools where none runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from nagomi_tui.agent.tools.interface import ToolFault, Workplace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.api.messages import Request


class NoWorkplace(Workplace):
    """A workplace without sessions: every request raises `ToolFault`."""

    async def request(self, request: Request[Any], *, timeout: float = 0.0) -> NoReturn:
        """Raise `ToolFault`."""
        raise ToolFault("No workplace runs here, so there are no sessions.")

    def seen_from(self, environment: Mapping[str, str]) -> Workplace:
        """Return itself."""
        return self

    def connected(self) -> NoReturn:  # type: ignore[override]
        """Raise `ToolFault`."""
        raise ToolFault("No workplace runs here, so there are no sessions.")
