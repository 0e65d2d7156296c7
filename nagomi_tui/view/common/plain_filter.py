"""Removes control characters from every line that Textual draws, whichever widget it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.filter import LineFilter

from nagomi_tui.core.text.plain import HIDDEN

if TYPE_CHECKING:
    import re

    from textual.color import Color


class PlainFilter(LineFilter):
    """Blanks control and direction characters, and leaves every width as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line without such characters."""
        return [_plain(segment) for segment in segments]


def _plain(segment: Segment) -> Segment:
    text, style, control = segment
    if text.isascii() and text.isprintable() or not HIDDEN.search(text):
        return segment
    return Segment(HIDDEN.sub(_blank, text), style, control)


def _blank(found: re.Match[str]) -> str:
    return " " * cell_len(found[0])
