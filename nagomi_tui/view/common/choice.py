"""A widget that shows a few values on one line, of which one is selected."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from nagomi_tui.core.text.text import cells
from nagomi_tui.view.common.translate import tr
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from textual import events

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
    Choice:focus { background: $panel; }
    """

    class Changed(Message):
        """Another value was selected."""

        def __init__(self, choice: Choice, value: Any) -> None:
            super().__init__()
            self.choice = choice
            self.value = value

    class Entered(Message):
        """Enter was pressed."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    value: reactive[Any] = reactive(None)
    """The selected value."""

    def __init__(
        self,
        values: tuple[Any, ...],
        value: Any,
        *,
        id: str,
        names: dict[Any, str] | None = None,
    ) -> None:
        super().__init__(id=id)
        self._values = values
        self._names = names or {}
        self.set_reactive(Choice.value, value)

    def render(self) -> Content:
        """Return all values, the selected one in brackets and colour; or it alone, with arrows."""
        if not self._has_room:
            at = self._values.index(self.value) + 1 if self.value in self._values else 0
            return Content.from_markup(
                "‹ [$primary bold]$shown[/] ›  $at/$count",
                shown=self._shown(self.value), at=str(at), count=str(len(self._values)),
            )  # fmt: skip
        parts = [
            Content.from_markup("[$primary bold]‹$shown›[/]", shown=self._shown(value))
            if value == self.value
            else Content.from_markup(" $shown ", shown=self._shown(value))
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
        """Tell that Enter was pressed."""
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
