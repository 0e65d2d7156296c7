"""A clickable word that asks for an action of the registry by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.widgets import Static

if TYPE_CHECKING:
    from textual import events


class ActionAsked(Message, bubble=True):
    """The user clicked a word, and so asked for an action of the registry."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action


class Chip(Static):
    """One clickable word."""

    DEFAULT_CSS = """
    Chip { width: auto; height: 1; padding: 0 1; }
    Chip:hover { background: $panel; }
    """

    def __init__(self, action: str, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.action = action

    def on_click(self, event: events.Click) -> None:
        """Ask for the action."""
        event.stop()
        self.post_message(ActionAsked(self.action))
