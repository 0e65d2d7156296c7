"""What a client is answered, before it is put into the client's own words."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec


class Said(msgspec.Struct, frozen=True):
    """A decision as words for the agent and for the user."""

    denied: str = ""
    """Why the tool may not run; empty if it may."""
    context: str = ""
    """What the agent is told beside it."""
    notice: str = ""
    """What the user is told."""


class Printed(msgspec.Struct, frozen=True):
    """What is printed, and whether it is the reason of a refusal instead of an answer."""

    data: bytes = b""
    refused: bool = False


class Adapter(Protocol):
    """How one client names its tools and wants its answers."""

    def tool(self, name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return a tool as the guard knows it, with what it is given."""

    def paths(self, name: str, given: dict[str, Any]) -> list[str]:
        """Return the files that a tool of the client's own is to write."""

    def printed(self, event: str, said: Said) -> Printed:
        """Return the answer in the client's form."""
