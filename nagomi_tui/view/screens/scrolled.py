"""What a view says of a pane that does not show its session's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.text.text import cells
from nagomi_tui.view.common.translate import tr, tr_count

if TYPE_CHECKING:
    from nagomi_tui.view.pane.pane import TerminalPane


def scrolled(pane: TerminalPane, *, key: str = "", width: int = 1000) -> str:
    """Return the longest form that fits in `width` cells, or "" if the end is followed.

    It tells how many lines are below, how many of these are new, and the `key` that goes there.
    """
    if pane.following:
        return ""
    return next((form for form in _forms(pane, key) if cells(form) <= width), "")


def _forms(pane: TerminalPane, key: str) -> list[str]:
    below, new = pane.lines_below, pane.new_lines
    lines = tr_count("{count} more line", "{count} more lines", below) if below else ""
    end = tr("To the end")
    words = f"↓ {end} {lines}".rstrip()
    long = tr("{words}, {count} of them new", words=words, count=new) if new else words
    short = f"↓ {below}" + (f" +{new}" if new else "")
    return [*([f"{long} ({key})"] if key else []), long, short, "↓"]
