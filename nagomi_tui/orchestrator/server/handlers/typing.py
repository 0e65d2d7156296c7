"""Messages with what a user types, pastes and points at; none of them is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.input.sender import InputSender
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.server.handlers.table import UnansweredHandlers
    from nagomi_tui.orchestrator.sessions.roles import Shown
    from nagomi_tui.orchestrator.views.showing import Showing


class TypingMessages:
    """Sends input to sessions, which take the size of the view that is typed into."""

    def __init__(
        self, find: Callable[[str], Shown | None], showing: Showing, sender: InputSender
    ) -> None:
        """`find` returns a session by its id."""
        self._find = find
        self._showing = showing
        self._sender = sender

    def type_text(self, client: Client, message: messages.TypeText) -> None:
        """Send text as it is."""
        if session := self._find(message.session):
            self._showing.typed(client, session)
            self._sender.type_text(client.requester, session, message.text)

    def press(self, client: Client, message: messages.Press) -> None:
        """Send a key."""
        if session := self._find(message.session):
            self._showing.typed(client, session)
            self._sender.press(
                client.requester,
                session,
                message.key,
                mods=message.mods,
                text=message.text,
                action=message.action,
            )

    def paste(self, client: Client, message: messages.Paste) -> None:
        """Send pasted text."""
        if session := self._find(message.session):
            self._showing.typed(client, session)
            self._sender.paste(client.requester, session, message.text)

    def point(self, client: Client, message: messages.Point) -> None:
        """Send what the mouse does."""
        if session := self._find(message.session):
            at = (message.x, message.y)
            self._sender.point(
                session, at, button=message.button, action=message.action, mods=message.mods
            )

    HANDLERS: ClassVar[UnansweredHandlers] = {
        messages.TypeText: type_text,
        messages.Press: press,
        messages.Paste: paste,
        messages.Point: point,
    }
