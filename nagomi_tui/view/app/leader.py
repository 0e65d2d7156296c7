"""Carries out commands after the leader key, whose menu opens 0.35 s after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Final

from textual.timer import Timer

from nagomi_tui.view.common.timers import Timers
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.driver.keyboard import Keyboard
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.bindings import Keymap
from nagomi_tui.view.keymap.menu import SHOW_AFTER
from nagomi_tui.view.screens.main_screen import MainScreen
from nagomi_tui.view.screens.state import AppState

DIGIT_SECONDS: Final = 0.6
"""Seconds for which a second digit is awaited if the first one alone is a session's number, too."""


@dataclass(eq=False)
class LeaderCommands:
    """Carries out the commands of keys after the leader, in the order of typing."""

    state: AppState
    main: MainScreen
    keyboard: Keyboard
    timers: Timers
    _: KW_ONLY
    keys: Callable[[], Keymap]
    perform: Callable[[str], object]
    done: Callable[[], object]
    """Releases the input that was held during the command."""
    tell: Callable[[str], object]
    refuse: Callable[[str], object]
    """Tells why a key does nothing; what was typed right behind it is dropped."""
    used: Callable[[], object]
    """Tells the orchestrator that this front end was used."""

    def __post_init__(self) -> None:
        self._timer: Timer | None = None
        self._tens = 0
        """The first digit of a number whose second one is awaited."""

    def command(self, key: str) -> None:
        """Carry out the command of a key after the leader, then release what was typed after it.

        If a number may have a second digit, another call follows with that digit, with `escape`, or
        with "" if none came in time.
        """
        self.used()
        tens, self._tens = self._tens, 0
        if tens:
            self._go(tens, key)
        elif not self.main.try_leader():
            action = self.keys().action_for(key)
            if action is None:
                pressed = f"{bindings.leader()} {key}"
                self.refuse(tr("{key} has no meaning here.", key=pressed))
            elif self._may_go_on(action):
                return
            else:
                self.perform(action)
        self.done()

    def _may_go_on(self, action: str) -> bool:
        """Wait for a second digit if the number of a session begins with this one and has two."""
        digit = action.removeprefix("go_")
        if digit == action or not self.state.numbers_from(int(digit)):
            return False
        self._tens = int(digit)
        alone = self.state.by_number(self._tens)
        if not alone:
            self.tell(tr("Session {number}…: its second digit, or Esc.", number=digit))
        self.keyboard.do(lambda typed: typed.await_digit(DIGIT_SECONDS if alone else None))
        return True

    def _go(self, tens: int, digit: str) -> None:
        if digit != "escape":
            self.perform(f"go_{tens}{digit}")

    def pending(self, pending: bool) -> None:
        """The leader was pressed, or its command is complete: open the menu in a moment, or close it."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        menu = self.main.menu
        if pending and self.main.try_leader():
            return
        if pending:
            self._timer = self.timers.after(SHOW_AFTER, menu.open)
        else:
            menu.close()
