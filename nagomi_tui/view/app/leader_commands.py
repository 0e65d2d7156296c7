"""The leader: its menu, the command after it, and what was typed after that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.view.common.translate import say
from nagomi_tui.view.keymap import hint
from nagomi_tui.view.keymap.menu import SHOW_AFTER, LeaderMenu

if TYPE_CHECKING:
    from textual.timer import Timer

    from nagomi_tui.view.app.application import Room


DIGIT_SECONDS: Final = 0.6
"""So long a second digit is waited for where one digit is a session's number, too."""


class Leading:
    """Does what the keys after the leader say, in the order in which they were typed."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._menu_timer: Timer | None = None
        self._tens = 0
        """The first digit of a number whose second one is awaited."""

    def pending(self, pending: bool) -> None:
        """Show the menu to those who wait for it."""
        if self._menu_timer is not None:
            self._menu_timer.stop()
            self._menu_timer = None
        menu = self._room.room_screen.query_one(LeaderMenu)
        if pending and self._is_tried():
            return
        if pending:
            self._menu_timer = self._room.set_timer(SHOW_AFTER, menu.open)
        else:
            menu.close()

    def command(self, key: str) -> None:
        """Do what the key after the leader says, then go on with what was typed after it.

        Where a number may have a second digit, that one is told by another call, or "".
        """
        tens, self._tens = self._tens, 0
        if tens:
            self._go(tens, key)
        elif not self._is_tried():
            action = self._room.keys.action_for(key)
            if action is None:
                pressed = f"{hint.leader()} {key}"
                self._room.tell(say("{key} has no meaning here.", key=pressed))
            elif self._may_go_on(action):
                return
            else:
                self._room.perform(action)
        self._room.typed_ahead.go_on()

    def _may_go_on(self, action: str) -> bool:
        """Await a second digit where there is a session with two that begin so."""
        digit = action.removeprefix("go_")
        if digit == action or not self._room.state.numbers_from(int(digit)):
            return False
        self._tens = int(digit)
        alone = self._room.state.by_number(self._tens)
        if not alone:
            self._room.tell(say("Session {number}…: its second digit, or Esc.", number=digit))
        self._room.keyboard.await_digit(DIGIT_SECONDS if alone else None)
        return True

    def _go(self, tens: int, digit: str) -> None:
        if digit != "escape":
            self._room.perform(f"go_{tens}{digit}")

    def _is_tried(self) -> bool:
        """Tell whether the leader was pressed only to see that it arrives."""
        seen = getattr(self._room.screen, "leader_seen", None)
        if seen is not None:
            seen()
        return seen is not None
