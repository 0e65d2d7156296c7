"""What each action does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.view.actions.application import RoomVerbs
from nagomi_tui.view.actions.asking import Asking
from nagomi_tui.view.actions.moving import MovingVerbs
from nagomi_tui.view.actions.sessions import SessionVerbs

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.app.application import Room


class Verbs:
    """Each action of the registry is a method, named like it, of one of the parts."""

    def __init__(self, room: Room) -> None:
        self.asking = Asking(room)
        self.moving = MovingVerbs(room)
        self.sessions = SessionVerbs(room, self.asking)
        self.room = RoomVerbs(room, self.asking, self.perform)

    def perform(self, action: str) -> None:
        """Do what the action says."""
        if action.startswith("session:"):
            self.moving.go_to(action.removeprefix("session:"))
        elif action.startswith("go_"):
            self.moving.go_to_number(int(action.removeprefix("go_")))
        else:
            self._method(action)()

    def _method(self, action: str) -> Callable[[], None]:
        for part in (self.moving, self.sessions, self.room):
            method: Callable[[], None] | None = getattr(part, action, None)
            if method is not None:
                return method
        raise ValueError(f"nobody carries out the action {action}")
