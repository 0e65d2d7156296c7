"""Small widgets that several views and dialogs use."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from nagomi_tui.text.cells import cells
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.translate import tr


def is_whole(widget: Widget) -> bool:
    """Whether a widget has all its parts: it opens without them, and loses them one by one as it goes."""
    return bool(widget.is_mounted and widget.display)


class TakesDrags(Widget):
    """A widget that gets a drag whole: each report until the button is released, wherever that is.

    Textual hands events on faster than a widget takes them. A widget that captured the mouse only
    when it takes the press would miss the motion that came right behind it.
    """

    def post_message(self, message: Message) -> bool:
        """Have the mouse from the press of its left button to its release."""
        if isinstance(message, events.MouseDown) and message.button == 1:
            self.capture_mouse()
        posted = super().post_message(message)
        if isinstance(message, events.MouseUp):
            self.release_mouse()
        return posted


class WordButton(Static, can_focus=True):
    """A button of a dialog."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", show=False)]
    DEFAULT_CSS = """
    WordButton {
        width: auto; height: 1; padding: 0 2; margin-left: 1;
        background: $panel; color: $foreground; text-style: $row-focused;
        &:hover { color: $primary; text-style: bold; }
        &:focus { background: $primary; color: $background; text-style: bold; }
        &.-careful:focus { background: $accent; color: $background; }
        &:disabled { color: $muted; }
    }
    """

    @dataclass
    class Pressed(Message):
        """The user pressed the button."""

        button: WordButton

    def __init__(self, word: str, *, id: str, classes: str | None = None) -> None:
        super().__init__(word, id=id, classes=classes)

    def action_press(self) -> None:
        self.post_message(self.Pressed(self))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.action_press()


@dataclass
class ActionAsked(Message, bubble=True):
    """The user clicked a word, and so asked for an action of the registry."""

    action: str


@dataclass
class SessionChosen(Message):
    """A session's tile, line or lane was clicked: it is to get what is typed."""

    session_id: str


class Chip(Static):
    """One clickable word."""

    DEFAULT_CSS = """
    Chip { width: auto; height: 1; padding: 0 1; }
    Chip:hover { background: $panel; text-style: $row-focused; }
    """

    def __init__(self, action: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.action = action

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(ActionAsked(self.action))


# What values are called; what is missing here shows itself.
_VALUES = {
    "auto": translatable("automatic"),
    "ja": "日本語",
    "en": "English",
    "dark": translatable("dark"),
    "light": translatable("light"),
    "small": translatable("small"),
    "line": translatable("a line"),
    "off": translatable("off"),
    "bell": translatable("bell"),
    "sound_file": translatable("a sound"),
    "tts": translatable("a voice"),
    "True": translatable("yes"),
    "False": translatable("no"),
}


class Choice(Static, can_focus=True):
    """Selects one of a few values: by arrows or Space the next one, by a click the one there.

    What Enter does is up to the dialog.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", show=False),
        Binding("right,space", "move(1)", show=False),
        Binding("enter", "enter", show=False),
    ]
    DEFAULT_CSS = """
    Choice { width: 1fr; height: 1; padding: 0 1; color: $muted; }
    Choice:focus { background: $panel; text-style: $row-focused; }
    """

    @dataclass
    class Changed(Message):
        """Another value was selected."""

        choice: Choice
        value: Any

    @dataclass
    class Entered(Message):
        """Enter was pressed."""

        choice: Choice

    value: reactive[Any] = reactive(None)
    """The selected value."""

    def __init__(
        self, values: tuple[Any, ...], value: Any, *, id: str, names: dict[Any, str] | None = None
    ) -> None:
        super().__init__(id=id)
        self._values = values
        self._names = names or {}
        self.set_reactive(Choice.value, value)

    def render(self) -> Content:
        """Return all values, the selected one in brackets and colour; or it alone, with arrows."""
        if not self._has_room:
            at = self._values.index(self.value) + 1 if self.value in self._values else 0
            count = len(self._values)
            shown = (self._shown(self.value), "$primary bold")
            return Content.assemble("‹ ", shown, f" ›  {at}/{count}")
        parts = [
            Content.styled(f"‹{self._shown(value)}›", "$primary bold")
            if value == self.value
            else Content(f" {self._shown(value)} ")
            for value in self._values
        ]
        return Content(" ").join(parts)

    @property
    def _has_room(self) -> bool:
        return sum(self._widths) <= max(20, self.size.width)

    @property
    def _widths(self) -> list[int]:
        """Columns of each value, with its brackets and the blank after them."""
        return [cells(self._shown(value)) + 3 for value in self._values]

    def _shown(self, value: Any) -> str:
        return self._names.get(value) or tr(_VALUES.get(str(value), str(value)))

    def action_move(self, by: int) -> None:
        """Select the value that is `by` places further on."""
        at = self._values.index(self.value) if self.value in self._values else -1
        self._select(self._values[(at + by) % len(self._values)])

    def action_enter(self) -> None:
        self.post_message(self.Entered(self))

    def _select(self, value: Any) -> None:
        self.value = value
        self.post_message(self.Changed(self, value))

    def on_click(self, event: events.Click) -> None:
        """Select the value under the pointer; where only one is shown, its left arrow goes back."""
        event.stop()
        at = event.get_content_offset(self)
        if at is None:
            return
        if not self._has_room:
            self.action_move(-1 if at.x == 0 else 1)
            return
        ends = accumulate(self._widths)
        pointed = [value for value, end in zip(self._values, ends, strict=True) if at.x < end]
        if pointed and pointed[0] != self.value:
            self._select(pointed[0])


def part_style(widget: Widget, name: str) -> Style:
    """Return the style of one of the widget's component classes.

    Textual may draw a widget before its style sheet has reached it: it has plain parts then, and
    is drawn once more when it is styled.
    """
    try:
        return widget.get_component_rich_style(name)
    except KeyError:
        return Style()


class LaidOut(Message):
    """Something that no notice may lie over has come, gone, or changed its place or size."""
