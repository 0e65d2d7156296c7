"""The menu after the leader: what each key does. Keys work before it is painted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.widgets import Static

from nagomi_tui.text.cells import cells, pad
from nagomi_tui.view.common.actions import ACTIONS, SCOPE_TITLES, key_label
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.common.widgets import LaidOut

if TYPE_CHECKING:
    from nagomi_tui.view.common.actions import Action
    from nagomi_tui.view.keymap.bindings import Keymap

SHOW_AFTER: Final = 0.35
"""Seconds after which a user who only pressed the leader gets the menu."""

_COLUMN: Final = 25
_LEAST_COLUMN: Final = 18


class LeaderMenu(Static):
    """All keys after the leader, in columns over the lower edge."""

    DEFAULT_CSS = """
    LeaderMenu {
        display: none; layer: over; dock: bottom; width: 100%; height: auto;
        max-height: 70%; margin-bottom: 1; padding: 0 1; background: $surface;
        color: $foreground; border-top: solid $frame;
    }
    LeaderMenu.-open { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.keys: Keymap | None = None

    def open(self) -> None:
        """Show the menu."""
        self.update(self._table(max(20, self.app.size.width - 2)))
        self.add_class("-open")

    def close(self) -> None:
        """Hide the menu."""
        self.remove_class("-open")

    def on_show(self) -> None:
        """Tell that it has come."""
        self.post_message(LaidOut())

    def on_hide(self) -> None:
        """Tell that it has gone."""
        self.post_message(LaidOut())

    def _table(self, width: int) -> Content:
        entries = [entry for action in _shown() if (entry := self._entry(action))]
        columns = max(width // _COLUMN, 3 if width >= 3 * _LEAST_COLUMN else 1)
        rows = -(-len(entries) // columns)
        column = min(_COLUMN, width // columns)
        lines = [
            Content("").join([_cell(*entry, column) for entry in entries[row::rows]])
            for row in range(rows)
        ]
        return Content("\n").join(lines)

    def _entry(self, action: Action) -> tuple[str, str] | None:
        if self.keys is None:
            return None
        key = "1–99" if action.name == "go_1" else key_label(self.keys.first_key(action.name))
        return (key, tr(action.label)) if key else None


def _cell(key: str, label: str, width: int) -> Content:
    room = 5 if width == _COLUMN else 3
    shown = " " * (room - cells(key)) + key
    text = pad(label, width - max(room, cells(key)) - 3)
    return Content.from_markup("[$accent bold]$key[/] $text  ", key=shown, text=text)


def _shown() -> list[Action]:
    order = list(SCOPE_TITLES)
    listed = [action for action in ACTIONS if not action.name.startswith("go_")]
    listed.insert(0, next(action for action in ACTIONS if action.name == "go_1"))
    return sorted(listed, key=lambda action: order.index(action.scope))
