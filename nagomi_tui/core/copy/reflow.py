"""Finds a cell again after a reflow, by its distance from a row that is known in both layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.core.copy.grid import At, line_first

if TYPE_CHECKING:
    from nagomi_tui.core.copy.grid import Grid


class Distance(NamedTuple):
    """A cell's distance from a row: line ends between them, and cells before it in its line."""

    lines: int
    cells: int


def distance(grid: Grid, start: int, at: At, width: int) -> Distance:
    """Return how far a cell is below a row.

    Raises:
        Absent: a line between them was not read.
    """
    lines = sum(not grid.row(line).wrapped for line in range(start, at.line))
    return Distance(lines, (at.line - line_first(grid, at.line)) * width + at.column)


def reached(grid: Grid, start: int, far: Distance, width: int) -> At:
    """Return the cell at a distance below a row.

    Raises:
        Absent: a line between them was not read.
    """
    line, lines = start, far.lines
    while lines and line < grid.last:
        lines -= not grid.row(line).wrapped
        line += 1
    line = line_first(grid, line)
    rows, column = divmod(far.cells, max(1, width))
    while rows and line < grid.last and grid.row(line).wrapped:
        rows, line = rows - 1, line + 1
    return At(line, column)
