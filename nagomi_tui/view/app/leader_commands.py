"""The leader: its menu, the command after it, and what was typed after that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap import hint
from nagomi_tui.view.keymap.menu import SHOW_AFTER

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.common.timers import Timer, Timers
    from nagomi_tui.view.driver.keyboard import Keyboard
    from nagomi_tui.view.keymap.bindings import Keymap
    from nagomi_tui.view.screens.main_screen import MainScreen

DIGIT_SECONDS: Final = 0.6
"""How long a second digit is awaited where the first one alone is a session's number, too."""


class SessionNumbers(Protocol):
    """The numbers of the sessions that there are."""

    def by_number(self, number: int) -> str:
        """Return the session with this number, or nothing."""

    def numbers_from(self, tens: int) -> bool:
        """Tell whether a session's number begins with this digit and has a second one."""


class LeaderCommands:
    """Does what the keys after the leader say, in the order in which they were typed."""

    def __init__(
        self,
        main: MainScreen,
        numbers: SessionNumbers,
        keyboard: Keyboard,
        timers: Timers,
        *,
        keys: Callable[[], Keymap],
        perform: Callable[[str], object],
        done: Callable[[], object],
        tell: Callable[[str], object],
    ) -> None:
        self._main = main
        self._numbers = numbers
        self._keyboard = keyboard
        self._timers = timers
        self._keys = keys
        self._perform = perform
        self._done = done
        """Has input go on that was held for the command."""
        self._tell = tell
        self._menu_timer: Timer | None = None
        self._tens = 0
        """The first digit of a number whose second one is awaited."""

    def pending(self, pending: bool) -> None:
        """Show the menu to those who wait for it."""
        if self._menu_timer is not None:
            self._menu_timer.stop()
            self._menu_timer = None
        menu = self._main.menu
        if pending and self._is_tried():
            return
        if pending:
            self._menu_timer = self._timers.after(SHOW_AFTER, menu.open)
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
            action = self._keys().action_for(key)
            if action is None:
                pressed = f"{hint.leader()} {key}"
                self._tell(tr("{key} has no meaning here.", key=pressed))
            elif self._may_go_on(action):
                return
            else:
                self._perform(action)
        self._done()

    def _may_go_on(self, action: str) -> bool:
        """Wait for a second digit if the number of a session begins with this one and has two."""
        digit = action.removeprefix("go_")
        if digit == action or not self._numbers.numbers_from(int(digit)):
            return False
        self._tens = int(digit)
        alone = self._numbers.by_number(self._tens)
        if not alone:
            self._tell(tr("Session {number}…: its second digit, or Esc.", number=digit))
        self._keyboard.await_digit(DIGIT_SECONDS if alone else None)
        return True

    def _go(self, tens: int, digit: str) -> None:
        if digit != "escape":
            self._perform(f"go_{tens}{digit}")

    def _is_tried(self) -> bool:
        """Tell whether a dialog only wants to see that the leader arrives."""
        seen = self._main.leader_seen
        if seen is not None:
            seen()
        return seen is not None
