"""The selection: which cells of which lines it holds, and their text."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.copy.grid import At

if TYPE_CHECKING:
    from nagomi_tui.core.copy.grid import Grid, GridRow

END: Final = 1 << 20
"""A column behind every row's end."""


class Shape(StrEnum):
    """Which cells between two ends are selected."""

    TEXT = "text"
    """From one to the other, in the order of reading."""
    LINES = "lines"
    BLOCK = "block"
    """The rectangle of which they are corners."""


class Selection(msgspec.Struct, frozen=True):
    """A selection, both ends included; `head` is the end that moves."""

    anchor: At
    head: At
    shape: Shape = Shape.TEXT

    @property
    def first(self) -> At:
        """The end that is read first."""
        return min(self.anchor, self.head)

    @property
    def last(self) -> At:
        """The end that is read last."""
        return max(self.anchor, self.head)

    def columns(self, line: int) -> tuple[int, int] | None:
        """Return the selected columns of a line, first and end, or None; `END` is its whole rest."""
        first, last = self.first, self.last
        if not first.line <= line <= last.line:
            return None
        if self.shape is Shape.LINES:
            return 0, END
        if self.shape is Shape.BLOCK:
            left, right = sorted((self.anchor.column, self.head.column))
            return left, right + 1
        start = first.column if line == first.line else 0
        return start, last.column + 1 if line == last.line else END


def widened(row: GridRow, first: int, end: int) -> tuple[int, int]:
    """Return columns that cut no wide character in two."""
    return row.start(first), row.after(end - 1) if end <= len(row.cells) else end


def copied(grid: Grid, selection: Selection) -> str:
    """Return the selected text: wrapped rows are one line, and blanks at ends are left out.

    Raises:
        Absent: a line of it was not read yet.
    """
    pieces: list[str] = []
    first, last = max(selection.first.line, grid.first), min(selection.last.line, grid.last)
    for line in range(first, last + 1):
        row = grid.row(line)
        start, end = widened(row, *selection.columns(line) or (0, 0))
        text = "".join(row.cells[start:end])
        joined = row.wrapped and end >= len(row.cells) and selection.shape is not Shape.BLOCK
        if joined and line < last:
            pieces.append(text)
        else:
            pieces.append(text.rstrip(" ") + "\n")
    return "".join(pieces)[:-1]
