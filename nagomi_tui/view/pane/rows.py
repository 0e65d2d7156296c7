"""Rows as the frame writer keeps them: their cells, their whole sequence, and what changed."""

from __future__ import annotations

import re
from itertools import repeat
from operator import ne
from typing import TYPE_CHECKING, Final, TypeAlias

from nagomi_tui.core.text.screen import BLANK, PLAIN, crop
from nagomi_tui.view.pane.style import LINK_END, RESET, link_start, sgr

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nagomi_tui.core.text.screen import Row, Run, Style

Cell: TypeAlias = "tuple[str, Style]"
"""What stands in a cell, and its style; the second cell of a wide character holds no text."""

GAP: Final = 8
"""Unchanged cells between two changes that are cheaper to send again than to jump over."""

_EMPTY: Final[Cell] = (" ", PLAIN)
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

    def __init__(self, row: Row, width: int) -> None:
        self.row = crop(row, 0, width)
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
    """Return an empty line."""
    return PaintRow(BLANK, width)


def _spread(row: Row, width: int) -> list[Cell]:
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


def _runs(runs: Sequence[Run], column: int, truecolor: bool) -> Iterator[str]:
    """Yield the sequences of runs, with the cursor placed again after doubtful widths."""
    for run in runs:
        yield from styled(run.text, run.style, truecolor)
        column += run.cells
        if _doubtful(run.text, run.unit):
            yield f"\x1b[{column}G"


def styled(text: str, style: Style, truecolor: bool) -> Iterator[str]:
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
            spans.append(_whole_characters(after, first, end))
            first = at
        elif first < 0:
            first = at
        end = at + 1
    if first >= 0:
        spans.append(_whole_characters(after, first, end))
    return spans


def _whole_characters(cells: Sequence[Cell], first: int, end: int) -> tuple[int, int]:
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


def _span_run(cells: Sequence[Cell], style: Style, column: int, truecolor: bool) -> Iterator[str]:
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
