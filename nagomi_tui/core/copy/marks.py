"""What is highlighted on a session's lines: selection, matches, a link, copy mode's cursor."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

import msgspec

from nagomi_tui.core.copy.grid import At
from nagomi_tui.core.copy.selection import END, Selection
from nagomi_tui.core.copy.urls import Hyperlink

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
