"""Catches a key that the user presses, to be the leader or to do an action after it."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from nagomi_tui.text.cells import cells, cut, pad
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.actions import key_label
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.bindings import NAMED

if TYPE_CHECKING:
    from textual import events

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
    KeyEntry:focus { background: $panel; }
    """

    class Pressed(Message):
        """The key that was pressed, by Textual's name."""

        def __init__(self, entry: KeyEntry, key: str) -> None:
            super().__init__()
            self.entry = entry
            self.key = key

    class Cleared(Message):
        """The user wants the default, or no key at all."""

        def __init__(self, entry: KeyEntry) -> None:
            super().__init__()
            self.entry = entry

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
            return Content.from_markup(f"[{color}]$shown[/]", shown=shown)
        title = f"● {self._title}" if self.changed else self._title
        width = max(_KEYS[least] for least in _KEYS if self.size.width >= least)
        width = max(width, cells(shown))
        says = cut(self._says, self.size.width - _TITLE - width - 4)
        return Content.from_markup(
            f"[{'$accent' if self.changed else '$muted'}]$title[/] [{color}]$shown[/]  $says",
            title=pad(title, _TITLE),
            shown=pad(shown, width),
            says=says,
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
