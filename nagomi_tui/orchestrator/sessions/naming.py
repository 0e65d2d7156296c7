"""How a session is named in what is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.sessions.live import Live


class Naming(TypedDict):
    """The fields of `messages.SessionNamed`."""

    session_id: str
    number: int
    name: str


def naming(live: Live) -> Naming:
    """Return how others name the session."""
    return {"session_id": live.session_id, "number": live.info.number, "name": live.info.name}
