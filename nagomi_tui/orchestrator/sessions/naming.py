"""How a session is named in what is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.sessions.roles import Named


class Naming(TypedDict):
    """The fields of `messages.SessionNamed`."""

    session_id: str
    number: int
    name: str


def naming(session: Named) -> Naming:
    """Return how others name the session."""
    return {
        "session_id": session.session_id,
        "number": session.info.number,
        "name": session.info.name,
    }
