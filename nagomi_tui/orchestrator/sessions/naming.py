"""How answers to requests name a session."""

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
    """Return id, number and name of the session."""
    return {
        "session_id": session.session_id,
        "number": session.info.number,
        "name": session.info.name,
    }
