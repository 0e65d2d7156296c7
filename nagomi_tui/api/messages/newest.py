"""Messages of which only the newest counts for whoever has not taken the ones before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api.messages.agent import Agent, AgentOrder, Proposed
from nagomi_tui.api.messages.calls import Called, Event, GoTo, Speaking
from nagomi_tui.api.messages.judge import Advice, TurnCompleted
from nagomi_tui.api.messages.sessions import SessionChanged, SessionRemoved
from nagomi_tui.api.messages.workplace import Notice, SettingsChanged

if TYPE_CHECKING:
    from nagomi_tui.api.messages.base import Message


def newest_key(message: Message) -> tuple[str, ...] | None:
    """Return the same for messages that replace each other; None where each one counts."""
    match message:
        case SessionChanged(session=session):
            return ("session", session.session_id)
        case SessionRemoved(session_id=session_id):
            return ("session", session_id)
        case Event(session=session_id, kind=kind):
            return ("event", session_id, kind)
        case (
            TurnCompleted(session=session_id)
            | Advice(session=session_id)
            | Proposed(session=session_id)
        ):
            return (type(message).__name__, session_id)
        case Speaking(session=session_id):
            return ("speaking", session_id)
        case Notice(text=text):
            return ("notice", text)
        case Called() | GoTo() | SettingsChanged() | Agent() | AgentOrder():
            return (type(message).__name__,)
        case _:
            return None
