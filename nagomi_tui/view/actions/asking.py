"""Asks: the orchestrator for what changes a session, the user for what cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.api.messages import Done, Failed
from nagomi_tui.view.common.translate import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Request
    from nagomi_tui.view.app.application import Room


class Asking:
    """Asks on the room's behalf."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def ask(self, request: Request, then: Callable[[str], None] | None = None) -> None:
        """Send a request; a refusal is shown, or told to `then`, which hears "" for success."""

        self._room.link.request(request, lambda answer: self._answered(answer, then))

    def ask_ahead(self, request: Request, then: Callable[[str], None] | None = None) -> None:
        """Ask; what is typed meanwhile is for the session that has the keys afterwards."""
        self.ahead(request, lambda answer: self._answered(answer, then))

    def ahead(self, request: Request, then: Callable[[Done | Failed], object]) -> None:
        """Send a request that gives the keys to a session; a refusal drops what was typed ahead."""
        typed = self._room.typed_ahead
        release = typed.hold()

        def answered(answer: Done | Failed) -> None:
            if isinstance(answer, Failed):
                typed.drop()
            then(answer)
            release()

        self._room.link.request(request, answered)

    def _answered(self, answer: Done | Failed, then: Callable[[str], None] | None) -> None:
        fault = answer.message if isinstance(answer, Failed) else ""
        if then is not None:
            then(fault)
        elif fault:
            self._room.tell(fault, error=True)

    def confirm(self, title: str, question: str, yes: str, act: Callable[[], None]) -> None:
        """Ask, and act on yes."""
        from nagomi_tui.view.dialogs.dialog import Ask

        def answered(answer: bool | None) -> None:
            if answer:
                act()

        self._room.open(Ask(title, question, yes=yes, no=say("Not now")), answered)
