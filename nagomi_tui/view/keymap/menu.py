"""The menu after the leader: what each key does. Keys work before it is painted."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final, TypeAlias

from textual.content import Content
from textual.widgets import Static

from nagomi_tui.text.cells import cells, pad
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.common.widgets import LaidOut
from nagomi_tui.view.keymap.actions import ACTIONS, BY_NAME, SCOPE_TITLES, Scope, key_label
from nagomi_tui.view.keymap.bindings import Keymap

SHOW_AFTER: Final = 0.35
"""Seconds after which a user who only pressed the leader gets the menu."""

_COLUMN: Final = 25
_LEAST_COLUMN: Final = 19
_MOST_OF_SCREEN: Final = 0.75
_TOGETHER: Final = {
    ("go_1",): translatable("go to"),
    ("next", "previous"): translatable("next/previous"),
    ("left", "down", "up", "right"): translatable("that way"),
    ("earlier", "later"): translatable("earlier/later"),
    ("keep_size", "free_size"): translatable("keep/free size"),
}
"""Actions that share an entry, with its words."""
_Entry: TypeAlias = tuple[str, str]
"""Keys and what they do."""


class LeaderMenu(Static):
    """All keys after the leader, in columns over the lower edge."""

    DEFAULT_CSS = """
    LeaderMenu {
        display: none; layer: over; dock: bottom; width: 100%; height: auto;
        margin-bottom: 1; padding: 0 1; background: $surface;
        color: $foreground; border-top: solid $frame;
    }
    LeaderMenu.-open { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.keys: Keymap | None = None

    def open(self) -> None:
        cols, rows = self.app.size
        self.update(self._table(max(20, cols - 2), max(2, int(rows * _MOST_OF_SCREEN) - 1)))
        self.add_class("-open")

    def close(self) -> None:
        self.remove_class("-open")

    def on_show(self) -> None:
        self.post_message(LaidOut())

    def on_hide(self) -> None:
        self.post_message(LaidOut())

    def _table(self, width: int, height: int) -> Content:
        """Return the entries under their headings; where those do not fit, of each scope the first."""
        groups = self._groups()
        count = min(len(groups), max(1, width // _LEAST_COLUMN))
        column = min(_COLUMN, width // count)
        columns = _in_columns(groups, count, height, column)
        if columns is None:
            columns = _without_headings(groups, count, height, column)
        rows = zip_longest(*columns, fillvalue=Content(" " * column))
        return Content("\n").join(Content("").join(row) for row in rows)

    def _groups(self) -> list[tuple[str, list[_Entry]]]:
        return [
            (tr(title), [entry for names in _named(scope) if (entry := self._entry(names))])
            for scope, title in SCOPE_TITLES.items()
        ]

    def _entry(self, names: tuple[str, ...]) -> _Entry | None:
        if self.keys is None:
            return None
        if names == ("go_1",):
            return "1–99", tr(_TOGETHER[names])
        keys = [key_label(key) for name in names if (key := self.keys.first_key(name))]
        label = _TOGETHER.get(names) or BY_NAME[names[0]].label
        between = "" if all(len(key) == 1 and not key.isascii() for key in keys) else " "
        return (between.join(keys), tr(label)) if keys else None


def _named(scope: Scope) -> list[tuple[str, ...]]:
    """Return the names of a scope's actions, with those in one entry that share it."""
    shared = {name: names for names in _TOGETHER for name in names}
    found = [shared.get(one.name, (one.name,)) for one in ACTIONS if one.scope is scope]
    numbers = {(f"go_{number}",) for number in range(2, 10)}
    return [names for names in dict.fromkeys(found) if names not in numbers]


def _in_columns(
    groups: list[tuple[str, list[_Entry]]], count: int, height: int, width: int
) -> list[list[Content]] | None:
    """Return the columns, as low as can be, none of which a group leaves; None if that is too high."""
    parts = [
        [_heading(title, width), *(_cell(*entry, width) for entry in entries)]
        for title, entries in groups
    ]
    for blanks in (1, 0):
        for most in range(max(map(len, parts)), height + 1):
            columns: list[list[Content]] = [[]]
            for part in parts:
                if columns[-1] and len(columns[-1]) + blanks + len(part) > most:
                    columns.append([])
                between = [Content(" " * width)] * blanks if columns[-1] else []
                columns[-1] += [*between, *part]
            if len(columns) <= count:
                return columns
    return None


def _without_headings(
    groups: list[tuple[str, list[_Entry]]], count: int, height: int, width: int
) -> list[list[Content]]:
    """Return as many entries as there is room for, in turn of each group its first."""
    turns = zip_longest(*(entries for _, entries in groups))
    entries = [entry for turn in turns for entry in turn if entry is not None]
    if len(entries) > count * height:
        help_key = next(entry for entry in entries if entry[1] == tr(BY_NAME["help"].label))
        entries = [entry for entry in entries if entry is not help_key]
        entries[count * height - 1 :] = [help_key]
    rows = -(-len(entries) // count)
    shown = [_cell(key, label, width) for key, label in entries]
    return [shown[at : at + rows] for at in range(0, len(shown), rows)]


def _heading(title: str, width: int) -> Content:
    return Content.styled(pad(f" {title}", width), "$primary bold")


def _cell(key: str, label: str, width: int) -> Content:
    room = 5 if width == _COLUMN else 4
    shown = " " * (room - cells(key)) + key
    text = pad(label, width - max(room, cells(key)) - 1)
    return Content.assemble((shown, "$accent bold"), f" {text}")
