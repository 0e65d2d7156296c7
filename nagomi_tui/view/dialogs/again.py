"""The dialog that asks for a command again whose record lacks the secrets in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input, Static

from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.line_dialog import LineDialog

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Again(LineDialog):
    """One line with the command as it was stored; it is run only once the gaps are filled."""

    def compose(self) -> ComposeResult:
        """Yield the reason, the line, and its fault."""
        yield self.box(
            Static(tr("The command held a secret, which nagomi does not store."), markup=False),
            Input(self.line, select_on_focus=False),
            self.fault(),
            title=tr("Start again"),
            foot=tr("Enter to start · Esc to leave it"),
        )
