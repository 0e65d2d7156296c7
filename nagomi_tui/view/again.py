"""The dialog that asks for a command again, where no record keeps it whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input, Static

from nagomi_tui.view.dialog import Dialog
from nagomi_tui.view.say import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult


class Again(Dialog[bool]):
    """One line with the command as far as it was stored; it is not run before it is whole."""

    def __init__(self, cmd: str, submit: Callable[[str, Callable[[str], None]], None]) -> None:
        super().__init__()
        self._cmd = cmd
        self._submit = submit

    def compose(self) -> ComposeResult:
        """Why it is asked, the line, and its fault."""
        yield self.sheet(
            Static(say("The command held a secret, which nagomi does not store."), markup=False),
            Input(self._cmd, select_on_focus=False),
            Static(classes="fault", markup=False),
            title=say("Start again"),
            foot=say("Enter to start · Esc to leave it"),
        )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Start it; a refusal is shown, and nothing typed is lost."""
        event.stop()
        self._submit(event.value.strip(), self._answered)

    def _answered(self, fault: str) -> None:
        if not fault:
            self.finish(True)
        elif self.is_attached:
            self.query_one(".fault", Static).update(fault)
            self.query_one(".fault").add_class("-open")
