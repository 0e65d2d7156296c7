"""A Textual strip whose sequence is made from our own row, whole or a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.cache import FIFOCache
from textual.strip import Strip

from nagomi_tui.core.text.screen import Row, Run, crop
from nagomi_tui.view.common.plain_filter import PlainFilter
from nagomi_tui.view.pane.rows import PaintRow
from nagomi_tui.view.pane.style import rich_style

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.style import Style
    from textual.color import Color
    from textual.filter import LineFilter


class AnsiStrip(Strip):
    """One row of a pane. Its parts are made only when Textual asks for them.

    Parts are cut here too: Textual would cut characters of several code points within, and what
    is left of them is as wide as each terminal likes.
    """

    __slots__ = ["_left", "_row"]

    def __init__(self, row: PaintRow, left: int) -> None:
        self._row = row
        self._left = left
        self._cell_length = row.width

    def __getattr__(self, name: str) -> object:
        """Make a part of Strip's own state when it is asked for the first time."""
        if name == "_segments":
            value: object = self._make_segments()
        elif name in ("_link_ids", "_cell_count", "_render_cache"):
            value = None
        elif name.endswith("_cache"):
            value = FIFOCache(4)
        else:
            raise AttributeError(name)
        setattr(self, name, value)
        return value

    def _make_segments(self) -> list[Segment]:
        row = self._row.row
        segments = [Segment(run.text, rich_style(run.style)) for run in row.runs]
        if rest := self._row.width - row.cells:
            segments.append(Segment(" " * rest))
        return segments

    def simple(self) -> AnsiStrip:
        """Return a strip for Textual to cut: each character of one code point."""
        if all(run.unit > 0 for run in self._row.row.runs):
            return self
        row = Row(tuple(_simple(run) for run in self._row.row.runs))
        return AnsiStrip(PaintRow(row, self._row.width), self._left)

    def render(self, console: Console) -> str:
        """Return the row's sequence."""
        if self._render_cache is None:
            truecolor = console.color_system == "truecolor"
            self._render_cache = self._row.whole(self._left + 1, truecolor=truecolor, erase=False)
        return self._render_cache

    def apply_filter(self, filter: LineFilter, background: Color) -> Strip:
        """Return the strip, filtered only by what changes colours: its row is plain already."""
        if isinstance(filter, PlainFilter):
            return self
        return super().apply_filter(filter, background)

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Return the pieces between cuts; the whole strip is not divided at all."""
        pieces: list[Strip] = []
        first = 0
        for cut in cuts:
            if cut > self._row.width:
                break
            pieces.append(self.crop(first, cut))
            first = cut
        return pieces

    def crop(self, start: int, end: int | None = None) -> Strip:
        """Return the cells `start` to `end`; the whole strip is not cut at all."""
        width = self._row.width
        return self.crop_extend(max(0, start), width if end is None else min(end, width), None)

    def crop_extend(self, start: int, end: int, style: Style | None) -> Strip:
        """Return the cells `start` to `end`, blank where the row has none."""
        if (start, end) == (0, self._row.width):
            return self
        if end <= start:
            return Strip([], 0)
        if (kept := self._crop_cache.get((start, end))) is not None:
            return kept
        part = PaintRow(crop(self._row.row, start, end - start), end - start)
        self._crop_cache[(start, end)] = strip = AnsiStrip(part, self._left + start)
        return strip


def _simple(run: Run) -> Run:
    """Return a run with the first code point of its character, or blank where that is narrower."""
    if run.unit > 0:
        return run
    first, width = run.text[:1], run.cells
    return Run(first, run.style, width) if cell_len(first) == width else Run(" " * width, run.style)
