"""What was typed ahead: it is held until the keys are with whom it is meant for.

The driver holds input after the leader's command, and after each key of Textual's that may give
the keys to somebody else: Enter in a dialog, `q` while looking back. It goes on when that key has
been dealt with and nothing is awaited of the orchestrator that gives the keys away, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.widgets import Input, TextArea

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message_pump import MessagePump

    from nagomi_tui.view.app.application import Room

AWAIT_SECONDS: Final = 10.0
"""Longest that input waits for an answer of the orchestrator."""
_READY_PAUSE: Final = 0.01
_READY_TRIES: Final = 100
"""How often a prompt or dialog is looked for that what was typed is meant for."""


class TypedAhead:
    """Tells the keyboard when to go on; used on Textual's loop."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._awaited: set[object] = set()

    def hold(self) -> Callable[[], None]:
        """Hold input, since an answer is awaited that gives the keys to somebody.

        What is returned is called when they are with whom they belong to.
        """
        mark = object()

        def release() -> None:
            if mark in self._awaited:
                self._awaited.discard(mark)
                self.go_on()

        self._awaited.add(mark)
        self._room.keyboard.hold(AWAIT_SECONDS)
        self._room.set_timer(AWAIT_SECONDS, release)
        return release

    def drop(self) -> None:
        """Give up what is held: whom it was meant for does not come."""
        self._room.keyboard.drop()

    def key_given(self) -> None:
        """Go on when the key that Textual was given has been dealt with."""
        self._room.call_later(self._follow)

    def go_on(self) -> None:
        """Go on once the prompt or dialog that has the keys now can take them."""
        self._room.call_after_refresh(self._try, _READY_TRIES)

    def _follow(self) -> None:
        """Go the way of the key up to the app, and then that of the message that it led to."""
        focused = self._room.screen.focused or self._room.screen
        self._pass([*focused.ancestors_with_self] * 2)

    def _pass(self, way: list[MessagePump]) -> None:
        while way:
            node = way.pop(0)
            if node.call_later(self._pass, way):
                return
        self.go_on()

    def _try(self, tries: int) -> None:
        if self._awaited or not self._room.is_running:
            return
        focused = self._room.screen.focused
        if tries and focused is None and self._room.textual_has_keys:
            self._room.set_timer(_READY_PAUSE, lambda: self._try(tries - 1))
            return
        self._room.keyboard.resume(in_text=isinstance(focused, (Input, TextArea)))
