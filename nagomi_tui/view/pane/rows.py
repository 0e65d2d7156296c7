"""A pane's rows as they are painted: as escape sequences, and as Textual's strips."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from operator import ne
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.cache import FIFOCache
from textual.color import Color as RichColor
from textual.filter import LineFilter
from textual.strip import Strip

from nagomi_tui.text import rows
from nagomi_tui.text.cells import link_target
from nagomi_tui.text.sgr import parameters, red_green_blue
from nagomi_tui.view.common.textual_private import PlainFilter

RESET: Final = "\x1b[m"
LINK_END: Final = "\x1b]8;;\x1b\\"


@lru_cache(maxsize=8192)
def sgr(style: rows.Style, truecolor: bool = True) -> str:
    """Return the sequence that sets exactly this style, whatever was set before."""
    codes = parameters(style, truecolor=truecolor)
    return RESET if codes == "0" else f"\x1b[{codes}m"


def link_start(target: str) -> str:
    """Return the OSC 8 sequence that opens a link; control characters cannot get out of it."""
    return f"\x1b]8;;{link_target(target)}\x1b\\"


@lru_cache(maxsize=8192)
def rich_style(style: rows.Style) -> RichStyle:
    """Return the style for Textual's segments; kinds of underline become one or two lines."""
    flags = style.flags
    return RichStyle(
        color=_rich_color(style.fg),
        bgcolor=_rich_color(style.bg),
        bold=bool(flags & rows.BOLD) or None,
        dim=bool(flags & rows.FAINT) or None,
        italic=bool(flags & rows.ITALIC) or None,
        blink=bool(flags & rows.BLINK) or None,
        reverse=bool(flags & rows.INVERSE) or None,
        conceal=bool(flags & rows.INVISIBLE) or None,
        strike=bool(flags & rows.STRIKE) or None,
        overline=bool(flags & rows.OVERLINE) or None,
        underline=(style.underline in (1, 3, 4, 5)) or None,
        underline2=(style.underline == 2) or None,
        link=link_target(style.link) or None,
    )


class _SessionColor(Color):
    """A colour of a program, which has one of 256 where nagomi itself has 16, under a dialog, too."""

    def downgrade(self, system: ColorSystem) -> Color:  # type: ignore[override]
        """Return the colour as `sgr` writes it: none is brought down to 16."""
        is_least = system is ColorSystem.STANDARD and self.system is not system
        return super().downgrade(ColorSystem.EIGHT_BIT if is_least else system)


def _rich_color(color: int) -> Color | None:
    if color == rows.DEFAULT:
        return None
    rgb = color & rows.RGB
    return _SessionColor(
        *(Color.from_rgb(*red_green_blue(color)) if rgb else Color.from_ansi(color))
    )


Cell: TypeAlias = "tuple[str, rows.Style]"
"""What stands in a cell, and its style; the second cell of a wide character holds no text."""

GAP: Final = 8
"""Unchanged cells between two changes that are cheaper to send again than to jump over."""

_EMPTY: Final[Cell] = (" ", rows.PLAIN)
_ERASE_FROM: Final = 6
"""Blank cells from which erasing them is shorter than writing spaces."""

# Characters on whose width every terminal agrees. After others the cursor is placed again.
_SURE_NARROW: Final = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2500-\u259f\u2800-\u28ff\uff61-\uff9f]*"
)
_SURE_WIDE: Final = re.compile(
    "[\u2e80-\u303e\u3041-\u3098\u309b-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f"
    "\uff01-\uff60\uffe0-\uffe6\U00020000-\U0003fffd]*"
)


class PaintRow:
    """One line of a pane, at most `width` cells; made once, then shared between threads."""

    __slots__ = ("_cells", "row", "width")

    def __init__(self, row: rows.Row, width: int) -> None:
        self.row = rows.crop(row, 0, width)
        self.width = width
        self._cells: list[Cell] | None = None

    @property
    def cells(self) -> Sequence[Cell]:
        """Every cell of the line."""
        if self._cells is None:
            self._cells = _spread(self.row, self.width)
        return self._cells

    def whole(self, column: int, *, truecolor: bool, erase: bool) -> str:
        """Return the line's sequence from `column` (1 is the terminal's first) on.

        With `erase` the blank end may be erased rather than written, which leaves the cursor
        before it.
        """
        out = list(_runs(self.row.runs, column, truecolor))
        if rest := self.width - self.row.cells:
            out.append(RESET)
            out.append(f"\x1b[{rest}X" if erase and rest >= _ERASE_FROM else " " * rest)
        elif not erase:
            out.append(RESET)
        return "".join(out)


def blank_row(width: int) -> PaintRow:
    return PaintRow(rows.BLANK, width)


def _spread(row: rows.Row, width: int) -> list[Cell]:
    cells: list[Cell] = []
    for run in row.runs:
        style = run.style
        if run.unit == 1:
            cells += zip(run.text, repeat(style))
        elif run.unit == 2:
            for char in run.text:
                cells += ((char, style), ("", style))
        else:
            cells.append((run.text, style))
            cells += repeat(("", style), -run.unit - 1)
    cells += repeat(_EMPTY, width - len(cells))
    return cells


def _runs(runs: Sequence[rows.Run], column: int, truecolor: bool) -> Iterator[str]:
    """Yield the sequences of runs, with the cursor placed again after doubtful widths."""
    for run in runs:
        yield from styled(run.text, run.style, truecolor)
        column += run.cells
        if _doubtful(run.text, run.unit):
            yield f"\x1b[{column}G"


def styled(text: str, style: rows.Style, truecolor: bool) -> Iterator[str]:
    """Yield text in its style, as a link where it is one."""
    yield sgr(style, truecolor)
    if not style.link:
        yield text
        return
    yield link_start(style.link)
    yield text
    yield LINK_END


def _doubtful(text: str, unit: int) -> bool:
    sure = _SURE_NARROW if unit == 1 else _SURE_WIDE
    return unit < 0 or sure.fullmatch(text) is None


def changed(old: PaintRow, new: PaintRow) -> list[tuple[int, int]]:
    """Return the spans of cells, first and end, in which two lines of one width differ."""
    before, after = old.cells, new.cells
    spans: list[tuple[int, int]] = []
    first = end = -1
    for at, differs in enumerate(map(ne, before, after)):
        if not differs:
            continue
        if first >= 0 and at - end > GAP:
            spans.append(whole_characters(after, first, end))
            first = at
        elif first < 0:
            first = at
        end = at + 1
    if first >= 0:
        spans.append(whole_characters(after, first, end))
    return spans


def whole_characters(cells: Sequence[Cell], first: int, end: int) -> tuple[int, int]:
    """Widen a span so that it cuts no wide character in two."""
    while first > 0 and not cells[first][0]:
        first -= 1
    while end < len(cells) and not cells[end][0]:
        end += 1
    return first, end


def span(row: PaintRow, first: int, end: int, column: int, *, truecolor: bool) -> str:
    """Return the sequence of the cells `first` to `end`; `column` is the line's first on screen."""
    cells = row.cells
    out: list[str] = []
    at = first
    while at < end:
        start, style = at, cells[at][1]
        at += 1
        while at < end and cells[at][1] == style:
            at += 1
        out += _span_run(cells[start:at], style, column + start, truecolor)
    return "".join(out)


def _span_run(
    cells: Sequence[Cell], style: rows.Style, column: int, truecolor: bool
) -> Iterator[str]:
    """Yield one style's cells, with the cursor placed again after each doubtful one."""
    text = "".join(cell[0] for cell in cells)
    if len(text) == len(cells) and _SURE_NARROW.fullmatch(text):
        yield from styled(text, style, truecolor)
        return
    yield sgr(style, truecolor)
    if style.link:
        yield link_start(style.link)
    for at, (char, _) in enumerate(cells):
        if not char:
            continue
        yield char
        width = 2 if at + 1 < len(cells) and not cells[at + 1][0] else 1
        sure = _SURE_WIDE if width == 2 else _SURE_NARROW
        if sure.fullmatch(char) is None:
            yield f"\x1b[{column + at + width}G"
    if style.link:
        yield LINK_END


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
        row = rows.Row(tuple(_simple(run) for run in self._row.row.runs))
        return AnsiStrip(PaintRow(row, self._row.width), self._left)

    def render(self, console: Console) -> str:
        if self._render_cache is None:
            truecolor = console.color_system == "truecolor"
            self._render_cache = self._row.whole(self._left + 1, truecolor=truecolor, erase=False)
        return self._render_cache

    def apply_filter(self, filter: LineFilter, background: RichColor) -> Strip:
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

    def crop_extend(self, start: int, end: int, style: RichStyle | None) -> Strip:
        """Return the cells `start` to `end`, blank where the row has none."""
        if (start, end) == (0, self._row.width):
            return self
        if end <= start:
            return Strip([], 0)
        if (kept := self._crop_cache.get((start, end))) is not None:
            return kept
        part = PaintRow(rows.crop(self._row.row, start, end - start), end - start)
        self._crop_cache[(start, end)] = strip = AnsiStrip(part, self._left + start)
        return strip


def _simple(run: rows.Run) -> rows.Run:
    """Return a run with the first code point of its character, or blank where that is narrower."""
    if run.unit > 0:
        return run
    first, width = run.text[:1], run.cells
    return (
        rows.Run(first, run.style, width)
        if cell_len(first) == width
        else rows.Run(" " * width, run.style)
    )
