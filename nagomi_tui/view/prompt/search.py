"""Searching backwards through what was sent to a session, as Ctrl+R does in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class HistorySearch:
    """A search for the newest text that holds what was typed, and for older ones."""

    def __init__(self, history: Sequence[str], draft: str) -> None:
        self._history = history
        self.draft = draft
        """What stood in the prompt before; it comes back when the search is given up."""
        self.wanted = ""
        """What is searched for."""
        self._at = len(history)
        """Place of the text that is shown; the history's length while none is."""

    @property
    def found(self) -> str | None:
        """The text that is shown, or None while there is none."""
        return self._history[self._at] if self._at < len(self._history) else None

    @property
    def fails(self) -> bool:
        """Whether no text holds what is searched for."""
        return self.wanted.casefold() not in (self.found or "").casefold()

    def type(self, character: str) -> None:
        """Search for one more character; the text shown stays while it fits."""
        self.wanted += character
        self._look(self._at)

    def erase(self) -> None:
        """Search for one character less, from the newest text on."""
        self.wanted = self.wanted[:-1]
        self._look(len(self._history))

    def older(self) -> None:
        """Show an older text that fits, and is another one; without one, the same as before."""
        self._look(self._at - 1, unlike=self.found)

    def _look(self, newest: int, *, unlike: str | None = None) -> None:
        wanted = self.wanted.casefold()
        for at in range(min(newest, len(self._history) - 1), -1, -1):
            text = self._history[at]
            if wanted and wanted in text.casefold() and text != unlike:
                self._at = at
                return
