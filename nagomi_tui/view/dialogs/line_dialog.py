"""A dialog with one line to be written, and a place for what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input, Static

from nagomi_tui.view.dialogs.dialog import Dialog

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Submit: TypeAlias = Callable[[str, Callable[[str], None]], None]
    """Takes the line, and who hears what is wrong with it: an empty text for nothing."""


class LineDialog(Dialog[bool]):
    """Closes when the line was accepted; a refusal is shown below, and nothing typed is lost."""

    def __init__(self, line: str, submit: Submit) -> None:
        super().__init__()
        self.line = line
        """The text at first."""
        self._submit = submit

    def fault(self) -> Static:
        """Return the widget that shows what is wrong, for `compose`."""
        return Static(classes="fault", markup=False)

    def wrong(self, line: str) -> str:
        """Return what is wrong with a line before the orchestrator is asked, or ""."""
        return ""

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Hand the line on."""
        event.stop()
        line = event.value.strip()
        if fault := self.wrong(line):
            self._answered(fault)
        else:
            self._submit(line, self._answered)

    def _answered(self, fault: str) -> None:
        if not fault:
            self.finish(True)
        elif self.is_attached:
            shown = self.query_one(".fault", Static)
            shown.update(fault)
            shown.add_class("-open")
