"""What a view says of a pane that does not show its session's end."""

from __future__ import annotations

from typing import Protocol

from nagomi_tui.core.text.text import cells
from nagomi_tui.view.common.translate import tr, tr_count


class Scrolling(Protocol):
    """Which part of its session a pane shows."""

    @property
    def following(self) -> bool:
        """Whether the tail is shown, whatever comes."""

    @property
    def lines_below(self) -> int:
        """How many lines are below the last one shown."""

    @property
    def new_lines(self) -> int:
        """How many of these came since the tail is not followed."""


def scrolled(pane: Scrolling, *, key: str = "", width: int = 1000) -> str:
    """Return the longest form that fits in `width` cells, or "" if the end is followed.

    It tells how many lines are below, how many of these are new, and the `key` that goes there.
    """
    if pane.following:
        return ""
    return next((form for form in _forms(pane, key) if cells(form) <= width), "")


def _forms(pane: Scrolling, key: str) -> list[str]:
    below, new = pane.lines_below, pane.new_lines
    lines = tr_count("{count} more line", "{count} more lines", below) if below else ""
    end = tr("To the end")
    words = f"↓ {end} {lines}".rstrip()
    long = tr("{words}, {count} of them new", words=words, count=new) if new else words
    short = f"↓ {below}" + (f" +{new}" if new else "")
    return [*([f"{long} ({key})"] if key else []), long, short, "↓"]
