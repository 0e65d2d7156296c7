"""A button without a frame: a word that is pressed by a click, Enter or Space."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

if TYPE_CHECKING:
    from textual import events


class WordButton(Static, can_focus=True):
    """A button of a dialog."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", show=False)]
    DEFAULT_CSS = """
    WordButton {
        width: auto; height: 1; padding: 0 2; margin-left: 1;
        background: $panel; color: $foreground;
        &:hover { color: $primary; text-style: bold; }
        &:focus { background: $primary; color: $background; text-style: bold; }
        &.-careful:focus { background: $accent; color: $background; }
        &:disabled { color: $muted; }
    }
    """

    class Pressed(Message):
        """The user pressed the button."""

        def __init__(self, button: WordButton) -> None:
            super().__init__()
            self.button = button

    def __init__(self, word: str, *, id: str, classes: str | None = None) -> None:
        super().__init__(word, id=id, classes=classes, markup=False)

    def action_press(self) -> None:
        """Press it."""
        self.post_message(self.Pressed(self))

    def on_click(self, event: events.Click) -> None:
        """Press it."""
        event.stop()
        self.action_press()
