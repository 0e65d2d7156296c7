"""Asks: the orchestrator for what changes a session, the user for what cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api.messages import Done, Failed
from nagomi_tui.view.say import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Request
    from nagomi_tui.view.room import Room


class Asking:
    """Asks on the room's behalf."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def ask(self, request: Request, then: Callable[[str], None] | None = None) -> None:
        """Send a request; a refusal is shown, or told to `then`, which hears "" for success."""

        def answered(answer: Done | Failed) -> None:
            fault = answer.message if isinstance(answer, Failed) else ""
            if then is not None:
                then(fault)
            elif fault:
                self._room.tell(fault, error=True)

        self._room.link.request(request, answered)

    def confirm(self, title: str, question: str, yes: str, act: Callable[[], None]) -> None:
        """Ask, and act on yes."""
        from nagomi_tui.view.dialog import Ask

        def answered(answer: bool | None) -> None:
            if answer:
                act()

        self._room.open(Ask(title, question, yes=yes, no=say("Not now")), answered)
