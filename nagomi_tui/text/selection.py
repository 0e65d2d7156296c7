"""A session's lines as numbered cells: selections, marks and links."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from enum import Enum, StrEnum
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

LOGICAL_ROWS: Final = 400
"""Most rows of one wrapped line that are joined."""


class At(NamedTuple):
    """A cell by its line's number and its column, in the order of reading."""

    line: int
    column: int


class MissingLine(LookupError):
    """A row was asked for that has not been read yet; `line` is its number.

    Whatever reads the lines of a `Grid` raises it where one that it needs was not read.
    """

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
        elif unit == 2:
            for char in text:
                cells += (char, "")
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
        """Return a line."""


class JoinedLine(NamedTuple):
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


def whole(grid: Grid, line: int) -> JoinedLine:
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
            return JoinedLine(first, number, "".join(text), tuple(places))
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
    return row.start(first), row.after(end - 1)


def copied(grid: Grid, selection: Selection) -> str:
    """Return the selected text: wrapped rows are one line, and blanks at ends are left out."""
    pieces: list[str] = []
    first, last = max(selection.first.line, grid.first), min(selection.last.line, grid.last)
    for line in range(first, last + 1):
        row = grid.row(line)
        start, end = widened(row, *selection.columns(line) or (0, 0))
        text = "".join(row.cells[start:end])
        if row.wrapped and line < last and selection.shape is not Shape.BLOCK:
            pieces.append(text)
        else:
            pieces.append(text.rstrip(" ") + "\n")
    return "".join(pieces)[:-1]


SCHEMES: Final = ("http", "https", "file", "mailto")
_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])(?:(?:https?|file)://|mailto:)[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+",
    re.IGNORECASE,
)
_BEHIND: Final = ".,;:!?'*"
_PAIRS: Final = {")": "(", "]": "["}


class Hyperlink(NamedTuple):
    """A target and the cells that show it, the last character's first cell included."""

    target: str
    first: At
    last: At


def urls(text: str) -> list[tuple[int, int]]:
    """Return where links stand in a text, first and end."""
    found = []
    for match in _URL.finditer(text):
        start, end = match.span()
        end = start + len(_trimmed(match.group()))
        if text[start:end].partition(":")[2].strip("/"):
            found.append((start, end))
    return found


def _trimmed(url: str) -> str:
    """Return a link without what belongs to the sentence around it."""
    while url:
        last = url[-1]
        opened = _PAIRS.get(last)
        if last in _BEHIND or (opened and url.count(last) > url.count(opened)):
            url = url[:-1]
        else:
            break
    return url


def links_of(grid: Grid, line: int) -> list[Hyperlink]:
    """Return the links of the line that a row belongs to."""
    found = whole(grid, line)
    return [
        Hyperlink(found.text[start:end], found.places[start], found.places[end - 1])
        for start, end in urls(found.text)
    ]


def link_at(grid: Grid, at: At) -> Hyperlink | None:
    """Return the link that shows in a cell."""
    return next((link for link in links_of(grid, at.line) if link.first <= at <= link.last), None)


def may_open(target: str, *, host: str) -> bool:
    """Return whether a link may be opened: of a known scheme, and no file of another machine."""
    if not target.isprintable():
        return False
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    if parts.scheme not in SCHEMES:
        return False
    return parts.scheme != "file" or parts.netloc in ("", "localhost", host)


Columns = tuple[int, int]
"""First column, and the column after the last."""


class Look(Enum):
    """Why a range of cells is highlighted."""

    LINK = "link"
    MATCH = "match"
    FOUND = "found"
    """The match that the cursor went to."""
    SELECTED = "selected"
    CURSOR = "cursor"


class Stretch(NamedTuple):
    """A highlighted range of columns in one line."""

    first: int
    end: int
    look: Look


class Marks(msgspec.Struct, frozen=True):
    """All highlights of one terminal pane."""

    selection: Selection | None = None
    matches: Mapping[int, tuple[Columns, ...]] = {}
    found: Mapping[int, tuple[Columns, ...]] = {}
    link: Hyperlink | None = None
    cursor: At | None = None

    def on(self, line: int) -> tuple[Stretch, ...]:
        """Return the stretches of a line; later ones lie over earlier ones."""
        parts = []
        if self.link and self.link.first.line <= line <= self.link.last.line:
            parts.append(Stretch(*_of_link(self.link, line), Look.LINK))
        parts += [Stretch(*columns, Look.MATCH) for columns in self.matches.get(line, ())]
        parts += [Stretch(*columns, Look.FOUND) for columns in self.found.get(line, ())]
        if self.selection and (selected := self.selection.columns(line)):
            parts.append(Stretch(*selected, Look.SELECTED))
        if self.cursor and self.cursor.line == line:
            parts.append(Stretch(self.cursor.column, self.cursor.column + 1, Look.CURSOR))
        return tuple(parts)


def _of_link(link: Hyperlink, line: int) -> Columns:
    first = link.first.column if line == link.first.line else 0
    return first, link.last.column + 1 if line == link.last.line else END


def over_rows(line: int, column: int, cells: int, width: int) -> list[tuple[int, Columns]]:
    """Return the columns of each row that a match touches, for rows of `width` cells."""
    rows = []
    while cells > 0:
        taken = min(cells, max(1, width - column))
        rows.append((line, (column, column + taken)))
        line, column, cells = line + 1, 0, cells - taken
    return rows


def by_line(matches: list[tuple[int, int, int]], width: int) -> dict[int, tuple[Columns, ...]]:
    """Return matches (line, column and cells) by the lines that they touch."""
    found: dict[int, tuple[Columns, ...]] = {}
    for match in matches:
        for line, columns in over_rows(*match, width):
            found[line] = (*found.get(line, ()), columns)
    return found
