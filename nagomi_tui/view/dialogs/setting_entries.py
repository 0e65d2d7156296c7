"""The lines of the settings view: one setting with its widget, or the keys of one action."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any, Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from nagomi_tui.sessions.session import Condition
from nagomi_tui.settings.field import Field
from nagomi_tui.text.cells import cells, cut, pad
from nagomi_tui.text.words import translatable
from nagomi_tui.view.character.character import Size
from nagomi_tui.view.character.library import Library
from nagomi_tui.view.character.sprite import Sprite
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.translate import language, tr
from nagomi_tui.view.common.widgets import Choice
from nagomi_tui.view.keymap.actions import Action, key_label
from nagomi_tui.view.keymap.bindings import NAMED

# What units are called; what is missing here shows itself.
_UNITS: Final = {
    "s": translatable("seconds"),
    "ms": translatable("milliseconds"),
    "1/s": translatable("a second"),
    "lines": translatable("lines"),
    "workers": translatable("workers"),
}
_NUMBERS: Final = {"int": int, "float": float}
KEYS: Final = "key-"
"""What the ids of entries for an action's keys begin with."""


class Entry(Vertical):
    """One line to change something, under the sentence that says what it is."""

    DEFAULT_CSS = """
    Entry { height: auto; margin-bottom: 1; }
    Entry > .says { color: $foreground; height: auto; }
    Entry > Horizontal { height: 1; }
    Entry .name { width: 22; color: $muted; }
    Entry.-changed .name { color: $accent; }
    Entry .unit { width: auto; max-width: 24; color: $muted; padding: 0 1; }
    Entry > .fault { color: $error; height: auto; display: block; }
    Entry.-tight { margin-bottom: 0; }
    Entry Input, Entry Input:ansi {
        height: 1; border: none; padding: 0 1; width: 1fr;
        background: $surface; color: $foreground;
    }
    Entry Input:focus { border: none; background: $panel; }
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self._line = 0
        """Index of the child that holds the line with the value."""

    def fault(self, text: str) -> None:
        """Show what is wrong with the value; "" for nothing."""
        for shown in self.query(".fault").results(Static):
            shown.update(text)
            shown.display = bool(text)
            return
        if text:
            self.mount(Static(text, classes="fault"), after=self._line)


class SettingEntry(Entry):
    """A setting of the model, asked for by its kind."""

    DEFAULT_CSS = """
    SettingEntry > Sprite { margin: 1 0 0 23; }
    """

    def __init__(self, field: Field, value: Any, library: Library) -> None:
        super().__init__(field.name)
        self.field = field
        self.value = value
        self._library = library

    def compose(self) -> ComposeResult:
        """Yield sentence, line and fault; a character is shown beside them."""
        self._line = 1
        yield Static(tr(self.field.sentence), classes="says")
        with Horizontal():
            yield Static(self.field.name, classes="name")
            yield self._editor()
            if unit := self._unit():
                yield Static(unit, classes="unit")
        if self.field.kind == "character":
            yield Sprite()

    def on_mount(self) -> None:
        self._mark()

    def _editor(self) -> Widget:
        field, value = self.field, self.value
        match field.kind:
            case "choice":
                return Choice(field.choices, value, id=field.name)
            case "bool":
                return Choice((True, False), value, id=field.name)
            case "key":
                return KeyEntry((value,) if value else (), id=field.name)
            case "character":
                ids = tuple(dict.fromkeys([*self._library.ids(), value]))
                titles = {one.id: one.title(language()) for one in self._library.whole()}
                return Choice(ids, value, id=field.name, names=titles)
            case "time_range":
                return Input(str(value), id=field.name, placeholder="22:00-07:00")
            case _:
                return Input(str(value), id=field.name)

    def _unit(self) -> str:
        field = self.field
        unit = tr(_UNITS.get(field.unit, field.unit)) if field.unit else ""
        if field.kind in _NUMBERS and field.least is not None and field.most is not None:
            return f"{unit} {field.least:g}–{field.most:g}".strip()
        return unit

    def typed(self, text: str) -> Any:
        """Return what was typed as the setting holds it.

        Raises:
            ValueError: it is no number where one is needed.
        """
        return _NUMBERS.get(self.field.kind, str)(text.strip())

    def take(self, value: Any) -> None:
        self.value = value
        for choice in self.query(Choice):
            choice.value = value
        for entry in self.query(KeyEntry):
            entry.keys = (value,) if value else ()
        for line in self.query(Input):
            line.value = str(value)
        self._mark()

    def _mark(self) -> None:
        changed = self.value != self.field.default
        self.set_class(changed, "-changed")
        shown = f"{'● ' if changed else ''}{self.field.name}"
        self.query_one(".name", Static).update(Content(shown))
        for sprite in self.query(Sprite):
            sprite.follow(self._library.one(str(self.value)), Condition.LISTENING, Size.SMALL)


class KeysEntry(Entry):
    """The keys of one action after the leader."""

    def __init__(self, action: Action, keys: tuple[str, ...]) -> None:
        super().__init__(action.name)
        self.action = action
        self._keys = keys
        self.add_class("-tight")

    def compose(self) -> ComposeResult:
        yield KeyEntry(
            self._keys,
            id=KEYS + self.action.name,
            title=self.action.name,
            says=tr(self.action.sentence),
        )

    def on_mount(self) -> None:
        self.take(self._keys)

    def take(self, keys: tuple[str, ...]) -> None:
        entry = self.query_one(KeyEntry)
        entry.keys, entry.changed = keys, keys != self.action.keys


def fits(entry: Field | Action, query: str) -> bool:
    """Return whether the filter `query` matches a setting or an action."""
    known = [entry.name, tr(entry.sentence)]
    known += [] if not hasattr(entry, "keys") else [key_label(key) for key in entry.keys]
    found = " ".join(known).casefold()
    return all(word in found for word in query.casefold().split())


_SIGNS: Final = {textual_private.character_key(sign): sign for sign in string.punctuation}
_MODIFIERS: Final = ("ctrl", "alt", "shift", "super")


_TITLE: Final = 14
"""Cells of the column of names in a list."""
_KEYS: Final = {0: 8, 70: 20}
"""Cells of the column of keys, by how wide the list is at least."""


class KeyEntry(Static, can_focus=True):
    """Shows keys; Enter has the next key pressed posted, Delete asks for the default."""

    DEFAULT_CSS = """
    KeyEntry { width: 1fr; height: 1; padding: 0 1; color: $foreground; }
    KeyEntry:focus { background: $panel; text-style: $row-focused; }
    """

    @dataclass
    class Pressed(Message):
        """The key that was pressed, by Textual's name."""

        entry: KeyEntry
        key: str

    @dataclass
    class Cleared(Message):
        """The user wants the default, or no key at all."""

        entry: KeyEntry

    keys: reactive[tuple[str, ...]] = reactive(())
    """The keys in use, by nagomi's names."""
    catching: reactive[bool] = reactive(False)
    """Whether the next key pressed is caught."""

    changed: reactive[bool] = reactive(False)
    """Whether the keys differ from the shipped ones."""

    def __init__(self, keys: tuple[str, ...], *, id: str, title: str = "", says: str = "") -> None:
        super().__init__(id=id)
        self._title = title
        self._says = says
        self.set_reactive(KeyEntry.keys, keys)

    def render(self) -> Content:
        """Return the keys, or a sentence while one is awaited."""
        shown = " ".join(key_label(key) for key in self.keys) or "–"
        color = "$primary"
        if self.catching:
            shown, color = tr("Press a key … (Esc: leave it)"), "$accent bold"
        if not self._title:
            return Content.styled(shown, color)
        title = f"● {self._title}" if self.changed else self._title
        width = max(_KEYS[least] for least in _KEYS if self.size.width >= least)
        width = max(width, cells(shown))
        says = cut(self._says, self.size.width - _TITLE - width - 4)
        title_style = "$accent" if self.changed else "$muted"
        return Content.assemble(
            (pad(title, _TITLE), title_style), " ", (pad(shown, width), color), f"  {says}"
        )

    def on_key(self, event: events.Key) -> None:
        """Post the key, or begin to catch one."""
        if self.catching:
            event.stop()
            event.prevent_default()
            self.catching = False
            if event.key != "escape":
                self.post_message(self.Pressed(self, event.key))
        elif event.key in ("enter", "space"):
            event.stop()
            self.catching = True
        elif event.key in ("delete", "backspace"):
            event.stop()
            self.post_message(self.Cleared(self))

    def on_blur(self) -> None:
        """Catch no key any more."""
        self.catching = False

    def on_click(self, event: events.Click) -> None:
        """Begin to catch a key."""
        event.stop()
        self.focus()
        self.catching = True


def key_from(name: str) -> str:
    """Return nagomi's name of a key that Textual names: `ctrl+right_square_bracket` is `ctrl+]`."""
    *held, last = name.split("+") if name != "+" else ["+"]
    if last not in NAMED:
        last = _SIGNS.get(last, last)
    return "+".join([*(mod for mod in _MODIFIERS if mod in held), last])


def command_key(name: str) -> str:
    """Return the key as a command after the leader, or "" if it cannot be one.

    After the leader, Ctrl with a letter equals the letter.
    """
    key = key_from(name)
    bare = key.removeprefix("ctrl+")
    if len(bare) == 1 and bare.isascii() and bare.isalpha():
        return bare
    last = key.rpartition("+")[2] if key != "+" else key
    return key if len(key) == 1 or last in NAMED else ""


def leader_key(name: str) -> str:
    """Return the key as a leader, or "": a leader must be a key that types no text."""
    key = key_from(name)
    last = key.rpartition("+")[2]
    is_function = last in NAMED and last[0] == "f" and last[1:].isdigit()
    held = set(key.split("+")[:-1])
    return key if is_function or held & {"ctrl", "alt"} else ""
