"""The speech balloon over the character: its words, and how the session stands (N-139)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from nagomi_tui.core.text.text import cells, cut, pad, wrap
from nagomi_tui.view.common.part_style import part_style

if TYPE_CHECKING:
    from rich.style import Style

_FRAME: Final = 2
"""Rows of the frame."""
_SAID_AT_MOST: Final = 3
"""Lines of the character's own words, if the summary leaves so many."""
_MARGIN: Final = 4
"""Columns of the frame and its padding."""


class Balloon(Widget):
    """Draws the character's words, and the judge's summary below them, in the middle."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"balloon--frame", "balloon--said", "balloon--summary"}
    DEFAULT_CSS = """
    Balloon {
        height: 8; width: 1fr; background: $background;
        & > .balloon--frame { color: $frame; }
        & > .balloon--said { color: $foreground; }
        & > .balloon--summary { color: $muted; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._said = self._summary = ""

    def show_text(self, said: str, summary: str) -> None:
        """Say something; `summary` is the plain sentence on what happened."""
        if (said, summary) != (self._said, self._summary):
            self._said, self._summary = said, summary
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one row of the balloon, which stands at the bottom."""
        width, height = self.size
        lines = balloon_lines(self._said, self._summary, width - _MARGIN, height - _FRAME)
        return self._row(y - (height - len(lines) - _FRAME), lines, width)

    def _row(self, y: int, lines: list[tuple[str, str]], width: int) -> Strip:
        base = self.rich_style
        if not lines or not 0 <= y < len(lines) + _FRAME:
            return Strip.blank(width, base)
        inner = max(cells(text) for _, text in lines)
        frame = part_style(self, "balloon--frame")
        before = (width - inner - _MARGIN) // 2
        left = Segment(" " * before, base)
        right = Segment(" " * (width - inner - _MARGIN - before), base)
        if y == 0:
            return Strip([left, Segment(f"╭{'─' * (inner + 2)}╮", frame), right], width)
        if y == len(lines) + 1:
            # The balloon opens towards the character below it.
            half = (inner + 1) // 2
            edge = f"╰{'─' * half}┬{'─' * (inner + 1 - half)}╯"
            return Strip([left, Segment(edge, frame), right], width)
        kind, text = lines[y - 1]
        middle: list[tuple[str, Style]] = [
            ("│ ", frame),
            (pad(text, inner), part_style(self, f"balloon--{kind}")),
            (" │", frame),
        ]
        return Strip([left, *(Segment(*part) for part in middle), right], width)


def balloon_lines(said: str, summary: str, width: int, height: int) -> list[tuple[str, str]]:
    """Return the lines with their kinds, `said` or `summary`, as they fit.

    In one line the summary goes before the words, since the face says the rest.
    """
    if width < 4 or height < 1 or not (said or summary):
        return []
    if height == 1:
        both = f"{said}  {summary}" if said and summary else said or summary
        fits = cells(both) <= width
        return [("said", both if fits else cut(summary or said, width))]
    told = _wrapped(summary, width, height - 1 if said else height)
    words = _wrapped(said, width, min(_SAID_AT_MOST, height - len(told)))
    return [("said", line) for line in words] + [("summary", line) for line in told]


def _wrapped(text: str, width: int, most: int) -> list[str]:
    """Return the text in at most so many lines; the last one is cut."""
    lines = wrap(text, width) if text else []
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width)]
    return lines
