"""Finds a line again after a reflow, which gives every row another number.

A line keeps its distance, in whole lines, from the one that the cursor is on.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.text.selection import END, GridRow, grid_row

_BLOCK: Final = 250
_MOST: Final = 5_000
"""Most rows that are read; a place further up keeps its distance in rows."""


class Anchor(NamedTuple):
    """A place by whole lines above the cursor's, and by the cells of its own line before it."""

    lines: int
    cells: int
    """Below zero in a very long line: as many cells before its end, which is nearer."""
    rows: int
    """Rows above those that were read."""


def anchor(screen: Screen, line: int) -> Anchor:
    bottom = _cursor_line(screen)
    if line > bottom:
        return Anchor(0, 0, bottom - line)
    low = max(line, bottom - _MOST)
    ends = _ends(screen, low, bottom)
    width = screen.size[0]
    before = low - _start(screen, low)
    if before < _BLOCK or True not in ends:
        return Anchor(sum(ends), before * width, low - line)
    below = ends.index(True)
    return Anchor(sum(ends), -max(1, below * width + _cells(screen, low + below)), low - line)


def line_of(screen: Screen, place: Anchor) -> int:
    """Return the number that the anchored row has now."""
    first = screen.bounds[0]
    bottom = _cursor_line(screen)
    if place.rows < 0:
        return bottom - place.rows
    line, left = bottom, place.lines
    stop = max(first, bottom - 2 * _MOST)
    while line > stop and left:
        low = max(stop, line - _BLOCK)
        ends = _ends(screen, low, line)
        for ended in reversed(ends):
            line -= 1
            left -= ended
            if not left:
                break
    width = max(1, screen.size[0])
    if place.cells < 0:
        line += (place.cells + _cells(screen, line)) // width
    else:
        line = _start(screen, line, _MOST) + place.cells // width
    return max(first, line - place.rows)


class CellAnchor(NamedTuple):
    """A cell by its line, and by the characters of that line before it."""

    line: Anchor
    characters: int


def anchor_of_cell(screen: Screen, line: int, column: int) -> CellAnchor:
    """Return the anchor of a cell; a column behind the row's end stands for that of the line."""
    place = anchor(screen, line)
    width = screen.size[0]
    if place.rows or place.cells < 0:
        return CellAnchor(place, column)
    start = line - place.cells // width
    before = sum(len(_characters(screen, row)) for row in range(start, line))
    columns = _characters(screen, line)
    here = sum(at < column for at in columns) if column < width else END
    return CellAnchor(place._replace(cells=0), before + here)


def cell_of(screen: Screen, place: CellAnchor) -> tuple[int, int]:
    """Return the line and column that the anchored cell has now."""
    line = line_of(screen, place.line)
    if place.line.rows or place.line.cells < 0:
        return line, place.characters
    left = place.characters
    last = screen.bounds[2]
    while line < last and _wrapped(screen, line):
        columns = _characters(screen, line)
        if left < len(columns):
            return line, columns[left]
        left -= len(columns)
        line += 1
    if left >= END // 2:
        return line, END
    columns = _characters(screen, line)
    return line, columns[left] if left < len(columns) else screen.size[0] - 1


def _characters(screen: Screen, line: int) -> list[int]:
    """Return the columns of a row's characters, its blanks at the end among them.

    A wide character that does not fit leaves the last cell of a wrapped row blank; that is none.
    """
    width = screen.size[0]
    row, after = _grid_row(screen, line), _grid_row(screen, line + 1)
    columns = [at for at, char in enumerate(row.cells) if char]
    columns += range(len(row.cells), width)
    narrow = row.wrapped and (len(row.cells) < width or row.cells[-1] == " ")
    if narrow and after.cells[1:2] == ("",):
        columns.pop()
    return columns


def _grid_row(screen: Screen, line: int) -> GridRow:
    rows = screen.lines(line, line + 1)
    return (
        grid_row(((run.text, run.unit) for run in rows[0].runs), rows[0].wrapped)
        if rows
        else GridRow()
    )


def _cursor_line(screen: Screen) -> int:
    return screen.bounds[1] + screen.cursor.y


def _ends(screen: Screen, start: int, stop: int) -> list[bool]:
    """Return for each row whether its line ends there."""
    ends: list[bool] = []
    for at in range(start, stop, _BLOCK):
        ends += [not row.wrapped for row in screen.lines(at, min(at + _BLOCK, stop))]
    return ends


def _cells(screen: Screen, line: int) -> int:
    return sum(row.cells for row in screen.lines(line, line + 1))


def _start(screen: Screen, line: int, most: int = _BLOCK) -> int:
    """Return the first row of a row's line, or one so many rows above; a single row is slow to read."""
    stop = max(screen.bounds[0], line - most)
    size = 1
    while line > stop:
        low = max(stop, line - size)
        ends = _ends(screen, low, line)
        if True in ends:
            return line - ends[::-1].index(True)
        line, size = low, min(_BLOCK, 4 * size)
    return line


def _wrapped(screen: Screen, line: int) -> bool:
    return any(row.wrapped for row in screen.lines(line, line + 1))
