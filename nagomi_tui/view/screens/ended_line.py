"""One line that stands for all sessions that have ended and were seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from nagomi_tui.core.text.text import printable
from nagomi_tui.view.common.badge import badge
from nagomi_tui.view.common.chip import Chip
from nagomi_tui.view.common.translate import tr_count
from nagomi_tui.view.keymap.hint import hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.session.session import Session


def ended_words(sessions: Sequence[Session]) -> str:
    """Return how many have ended, the key that says what can be done with them, and their names."""
    count = len(sessions)
    head = tr_count("{count} ended", "{count} ended", count)
    names = ", ".join(f"{badge(one).shape} {printable(one.name)}" for one in sessions)
    return f"▸ {head} ({hint('ended')})  {names}"


class EndedLine(Chip):
    """The line at the foot of the tiles; a click on it asks what is to be done."""

    DEFAULT_CSS = """
    EndedLine {
        dock: bottom; width: 100%; height: 1; display: none; color: $muted;
        background: $background; text-wrap: nowrap; text-overflow: ellipsis;
    }
    EndedLine.-open { display: block; }
    """

    def __init__(self) -> None:
        super().__init__("ended")

    def show(self, sessions: Sequence[Session]) -> None:
        """Stand for these sessions, or for none."""
        self.set_class(bool(sessions), "-open")
        self.update(Content(ended_words(sessions)) if sessions else "")
