"""The dialog that gives a session another name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.line_dialog import LineDialog

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Rename(LineDialog):
    """One line with the name."""

    def compose(self) -> ComposeResult:
        """The line and its fault."""
        yield self.box(
            Input(self.line, select_on_focus=True),
            self.fault(),
            title=tr("Rename"),
            foot=tr("Enter to keep · Esc to leave it"),
        )

    def wrong(self, line: str) -> str:
        """Refuse an empty name."""
        return "" if line else tr("A name needs at least one character.")
