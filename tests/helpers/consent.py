"""Answers, as the user does, what another agent's tool call asks in the workplace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nagomi_tui.api import messages
from tests.helpers.waiting import PATIENCE, until
from tests.helpers.workplace import text_of

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection


def permission(connection: Connection, name: str = "Permission") -> Any:
    """Return the session that asks; None if there is none."""
    listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
    return next((one for one in listed if one.name == name and one.waits), None)


def answer(connection: Connection, choice: str) -> str:
    """Answer the question once it is asked, and return what it showed."""
    asks = until(lambda: permission(connection))
    shown = text_of(connection, asks.session_id)
    order = messages.Answer(id=0, session=asks.session_id, choice=choice)
    connection.request(order, timeout=PATIENCE)
    return shown
