"""A session's lines as numbered rows of cells, for selection, motions and links."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

LOGICAL_ROWS: Final = 400
"""Most rows of one wrapped line that are joined."""


class At(NamedTuple):
    """A cell by its line's number and its column, in the order of reading."""

    line: int
    column: int


class Absent(LookupError):
    """A row was asked for that has not been read yet; `line` is its number."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class GridRow(msgspec.Struct, frozen=True):
    """One row: each cell holds a grapheme cluster; the second cell of a wide one is empty.

    `wrapped` says that the line goes on in the next row.
    """

    cells: tuple[str, ...] = ()
    wrapped: bool = False

    @property
    def text(self) -> str:
        """The row's characters, its blanks at the end too."""
        return "".join(self.cells)

    @property
    def end(self) -> int:
        """The column behind the last character that is no blank."""
        for column in range(len(self.cells) - 1, -1, -1):
            if self.cells[column] not in ("", " "):
                return self.after(column)
        return 0

    def start(self, column: int) -> int:
        """Return the first cell of the character that a cell belongs to."""
        while 0 < column < len(self.cells) and not self.cells[column]:
            column -= 1
        return column

    def after(self, column: int) -> int:
        """Return the cell behind the character that a cell belongs to."""
        column += 1
        while column < len(self.cells) and not self.cells[column]:
            column += 1
        return column


def grid_row(runs: Iterable[tuple[str, int]], wrapped: bool = False) -> GridRow:
    """Return a row made of texts with their units, as in a screen's runs."""
    cells: list[str] = []
    for text, unit in runs:
        if unit == 1:
            cells += text
        elif unit > 1:
            for char in text:
                cells += (char, *[""] * (unit - 1))
        else:
            cells += (text, *[""] * (-unit - 1))
    return GridRow(tuple(cells), wrapped)


class Grid(Protocol):
    """Lines by number, the last one included."""

    @property
    def first(self) -> int:
        """Number of the oldest line."""

    @property
    def last(self) -> int:
        """Number of the newest line."""

    def row(self, line: int) -> GridRow:
        """Return a line.

        Raises:
            Absent: it was not read yet.
        """


class Whole(NamedTuple):
    """One line, joined from the rows that it was wrapped into, with the cell of each code point."""

    first: int
    last: int
    text: str
    places: tuple[At, ...]

    def place_of(self, at: At) -> int:
        """Return the index of a cell's character in the text; the text's length if it has none."""
        found = bisect_left(self.places, at)
        here = found < len(self.places) and self.places[found] == at
        return found if here else len(self.text)


def whole(grid: Grid, line: int) -> Whole:
    """Return the line that a row belongs to, put together from its rows."""
    first = line_first(grid, line)
    text: list[str] = []
    places: list[At] = []
    number = first
    while True:
        row = grid.row(number)
        for column, char in enumerate(row.cells):
            text.append(char)
            places += [At(number, column)] * len(char)
        if not _goes_on(grid, number, row, first):
            return Whole(first, number, "".join(text), tuple(places))
        number += 1


def line_first(grid: Grid, line: int) -> int:
    """Return the number of the row in which the line of a row begins."""
    least = max(grid.first, line - LOGICAL_ROWS)
    while line > least and grid.row(line - 1).wrapped:
        line -= 1
    return line


def line_last(grid: Grid, line: int) -> int:
    """Return the number of the row in which the line of a row ends."""
    start = line
    while _goes_on(grid, line, grid.row(line), start):
        line += 1
    return line


def _goes_on(grid: Grid, number: int, row: GridRow, first: int) -> bool:
    return row.wrapped and number < grid.last and number - first < LOGICAL_ROWS
