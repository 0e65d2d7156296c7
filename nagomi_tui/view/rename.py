"""The dialog that gives a session another name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input, Static

from nagomi_tui.view.dialog import Dialog
from nagomi_tui.view.say import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult


class Rename(Dialog[bool]):
    """One line with the name; a refusal is shown below it and nothing typed is lost."""

    def __init__(self, name: str, submit: Callable[[str, Callable[[str], None]], None]) -> None:
        super().__init__()
        self._name = name
        self._submit = submit

    def compose(self) -> ComposeResult:
        """The line and its fault."""
        yield self.sheet(
            Input(self._name, select_on_focus=True),
            Static(classes="fault", markup=False),
            title=say("Rename"),
            foot=say("Enter to keep · Esc to leave it"),
        )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask for the new name."""
        event.stop()
        if not event.value.strip():
            self._answered(say("A name needs at least one character."))
        else:
            self._submit(event.value.strip(), self._answered)

    def _answered(self, fault: str) -> None:
        if not fault:
            self.finish(True)
        elif self.is_attached:
            self.query_one(".fault", Static).update(fault)
            self.query_one(".fault").add_class("-open")
