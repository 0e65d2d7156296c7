"""Dispatches messages that are not answered."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.server.handlers.programs import ProgramMessages
from nagomi_tui.orchestrator.server.handlers.typing import TypingMessages
from nagomi_tui.orchestrator.server.handlers.viewing import ViewingMessages

if TYPE_CHECKING:
    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.server.handlers.table import UnansweredGroup, UnansweredHandlers

GROUPS: Final[tuple[type[UnansweredGroup], ...]] = (
    TypingMessages, ViewingMessages, ProgramMessages,
)  # fmt: skip
HANDLERS: Final[UnansweredHandlers] = {
    kind: handler for group in GROUPS for kind, handler in group.HANDLERS.items()
}
"""The handler of each message."""


class UnansweredMessages:
    """Carries messages out at once; one for a session that is gone is ignored."""

    def __init__(self, *groups: UnansweredGroup) -> None:
        """`groups` holds one object of each class in `GROUPS`."""
        self._handlers = {
            kind: partial(handler, group)
            for group in groups
            for kind, handler in group.HANDLERS.items()
        }

    def take(self, client: Client, message: messages.Message) -> None:
        """Carry out a message that is no request."""
        self._handlers[type(message)](client, message)
