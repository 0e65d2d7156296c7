"""The leader: the command after it, and what was typed after that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap import hint

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.driver.keyboard import Keyboard
    from nagomi_tui.view.keymap.bindings import Keymap

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
        numbers: SessionNumbers,
        keyboard: Keyboard,
        *,
        keys: Callable[[], Keymap],
        perform: Callable[[str], object],
        done: Callable[[], object],
        tell: Callable[[str], object],
        try_leader: Callable[[], bool],
    ) -> None:
        self._numbers = numbers
        self._keyboard = keyboard
        self._keys = keys
        self._perform = perform
        self._done = done
        """Has input go on that was held for the command."""
        self._tell = tell
        self._try_leader = try_leader
        """Tells a dialog that the leader arrived; false where none wants to see that."""
        self._tens = 0
        """The first digit of a number whose second one is awaited."""

    def command(self, key: str) -> None:
        """Do what the key after the leader says, then go on with what was typed after it.

        Where a number may have a second digit, that one is told by another call, or "".
        """
        tens, self._tens = self._tens, 0
        if tens:
            self._go(tens, key)
        elif not self._try_leader():
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
