"""設定: a form made from the settings model; a change is asked for as soon as it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Static

from nagomi_tui.settings.model import FIELDS, Field
from nagomi_tui.view.dialog import Dialog
from nagomi_tui.view.say import say
from nagomi_tui.words import mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult

# What units and values are called; what is missing here shows itself.
_UNITS = {
    "s": mark("seconds"),
    "1/s": mark("a second"),
    "lines": mark("lines"),
    "workers": mark("workers"),
}
_VALUES = {
    "auto": mark("automatic"),
    "ja": "日本語",
    "en": "English",
    "dark": mark("dark"),
    "light": mark("light"),
    "True": mark("yes"),
    "False": mark("no"),
}


class Choice(Static, can_focus=True):
    """A few values on one line; the arrows or a click take another."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", show=False),
        Binding("right,space,enter", "move(1)", show=False),
    ]
    DEFAULT_CSS = """
    Choice { width: 1fr; height: 1; color: $muted; }
    Choice:focus { background: $surface; }
    """

    class Changed(Message):
        """Another value was taken."""

        def __init__(self, choice: Choice, value: Any) -> None:
            super().__init__()
            self.choice = choice
            self.value = value

    value: reactive[Any] = reactive(None)
    """The value in force."""

    def __init__(self, values: tuple[Any, ...], value: Any, *, id: str) -> None:
        super().__init__(id=id)
        self._values = values
        self.set_reactive(Choice.value, value)

    def render(self) -> Content:
        """All values, the one in force marked by brackets and colour."""
        parts = []
        for value in self._values:
            shown = say(_VALUES.get(str(value), str(value)))
            markup = "[$primary bold]‹$shown›[/]" if value == self.value else " $shown "
            parts.append(Content.from_markup(markup, shown=shown))
        return Content(" ").join(parts)

    def action_move(self, by: int) -> None:
        """Take the next value."""
        at = self._values.index(self.value) if self.value in self._values else 0
        self.value = self._values[(at + by) % len(self._values)]
        self.post_message(self.Changed(self, self.value))

    def on_click(self, event: events.Click) -> None:
        """A click takes the next value too."""
        event.stop()
        self.action_move(1)


class SettingsForm(Dialog[bool]):
    """All settings, each with its sentence; what is refused is said at its field."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]
    DEFAULT_CSS = """
    SettingsForm > .sheet { width: 92; height: 94%; }
    SettingsForm VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
    SettingsForm .setting { height: auto; margin-bottom: 1; padding-right: 1; }
    SettingsForm .setting > .says { color: $foreground; height: auto; }
    SettingsForm .setting > Horizontal { height: 1; }
    SettingsForm .setting .name { width: 20; color: $muted; }
    SettingsForm .setting .unit { width: 10; color: $muted; padding-left: 1; }
    SettingsForm .setting Input {
        height: 1; border: none; padding: 0 1; width: 1fr; background: $surface;
    }
    SettingsForm .setting Input:ansi { border: none; background: $surface; }
    SettingsForm .setting Input:focus { border: none; background: $panel; }
    """

    def __init__(
        self,
        values: dict[str, Any],
        submit: Callable[[dict[str, Any], Callable[[str], None]], None],
    ) -> None:
        super().__init__()
        self._values = values
        self._submit = submit

    def compose(self) -> ComposeResult:
        """One entry for each setting."""
        entries = [self._entry(field) for field in FIELDS]
        yield self.sheet(
            VerticalScroll(*entries, can_focus=False),
            title=say("Settings"),
            foot=say("↑↓ to move · ←→ to change · Enter to keep · Esc to close"),
        )

    def _entry(self, field: Field) -> Vertical:
        value = self._values.get(field.name, field.default)
        unit = Static(
            say(_UNITS.get(field.unit, field.unit)) if field.unit else "",
            classes="unit",
            markup=False,
        )
        return Vertical(
            Static(say(field.sentence), classes="says", markup=False),
            Horizontal(
                Static(field.name, classes="name", markup=False), _editor(field, value), unit
            ),
            Static(id=f"{field.name}-fault", classes="fault", markup=False),
            classes="setting",
        )

    def on_choice_changed(self, event: Choice.Changed) -> None:
        """Ask for the value."""
        self._change(event.choice.id or "", event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask for what was typed."""
        self._typed(event.input)

    def on_input_blurred(self, event: Input.Blurred) -> None:
        """Leaving a line keeps what was typed."""
        self._typed(event.input)

    def _typed(self, entry: Input) -> None:
        field = next(field for field in FIELDS if field.name == entry.id)
        if entry.value == str(self._values.get(field.name, field.default)):
            return
        try:
            kinds = {"int": int, "float": float}
            value = kinds.get(field.kind, str)(entry.value)
        except ValueError:
            self._answered(field.name, say("This needs a number."))
            return
        self._change(field.name, value)

    def _change(self, name: str, value: Any) -> None:
        self._submit({name: value}, lambda fault: self._answered(name, fault, value))

    def _answered(self, name: str, fault: str, value: Any = None) -> None:
        if not fault:
            self._values[name] = value
        if self.is_attached:
            shown = self.query_one(f"#{name}-fault", Static)
            shown.update(fault)
            shown.set_class(bool(fault), "-open")


def _editor(field: Field, value: Any) -> Choice | Input:
    if field.kind == "choice":
        return Choice(field.choices, value, id=field.name)
    if field.kind == "bool":
        return Choice((True, False), value, id=field.name)
    return Input(str(value), id=field.name)
