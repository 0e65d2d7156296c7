"""What was typed ahead: it is held until the keys are with whom it is meant for.

The driver holds input after the leader's command, and after each key of Textual's that may give
the keys to somebody else: Enter in a dialog, `q` while looking back. It goes on when that key has
been dealt with and nothing is awaited of the orchestrator that gives the keys away, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.widgets import Input, TextArea

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.message_pump import MessagePump

    from nagomi_tui.view.common.timers import AppTimers
    from nagomi_tui.view.driver.keyboard import Keyboard

AWAIT_SECONDS: Final = 10.0
"""Seconds for which input waits at most for an answer of the orchestrator; then it is dropped."""
_READY_PAUSE: Final = 0.01
_READY_TRIES: Final = 500
"""How often the prompt or dialog is looked for that typed input is meant for."""


class TypedAhead:
    """Tells the keyboard when to go on; used on Textual's loop."""

    def __init__(
        self,
        app: App[Any],
        timers: AppTimers,
        keyboard: Keyboard,
        *,
        textual_has_keys: Callable[[], bool],
        route_keys: Callable[[], None],
    ) -> None:
        """`route_keys` gives the keys to whom they belong by what is on the screen."""
        self._app = app
        self._timers = timers
        self._keyboard = keyboard
        self._textual_has_keys = textual_has_keys
        self._route_keys = route_keys
        self._awaited: set[object] = set()

    def hold(self) -> Callable[[], None]:
        """Hold input while an answer is awaited that moves the focus.

        Return a function to be called once the focus is where the input belongs.
        """
        mark = object()

        def release() -> None:
            if mark in self._awaited:
                self._awaited.discard(mark)
                self.go_on()

        def give_up() -> None:
            if mark in self._awaited:
                self.drop()
                release()

        self._awaited.add(mark)
        self._keyboard.hold(AWAIT_SECONDS)
        self._timers.after(AWAIT_SECONDS, give_up)
        return release

    def drop(self) -> None:
        """Drop held input: the session or dialog that it was meant for does not come."""
        self._keyboard.drop()

    def key_given(self) -> None:
        """Release input once Textual has handled the key that it was given."""
        self._app.call_later(self._follow)

    def go_on(self) -> None:
        """Release input once the prompt or dialog in front can take keys."""
        self._timers.after_refresh(lambda: self._try(_READY_TRIES))

    def _follow(self) -> None:
        """Go the way of the key up to the app, and then that of the message that it led to."""
        focused = self._app.screen.focused or self._app.screen
        self._pass([*focused.ancestors_with_self] * 2)

    def _pass(self, way: list[MessagePump]) -> None:
        while way:
            node = way.pop(0)
            if node.call_later(self._pass, way):
                return
        self.go_on()

    def _try(self, tries: int) -> None:
        if self._awaited:
            return
        focused = self._app.screen.focused
        if tries and focused is None and self._textual_has_keys():
            self._timers.after(_READY_PAUSE, lambda: self._try(tries - 1))
            return
        if not self._textual_has_keys():
            self._route_keys()  # a dialog that has just closed has not given them back yet
        self._keyboard.resume(in_text=isinstance(focused, (Input, TextArea)))
