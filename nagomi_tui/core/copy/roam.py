"""Moves copy mode's cursor, by the name of the motion, over the lines in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.core.copy import motions
from nagomi_tui.core.copy.grid import At

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.copy.grid import Grid


class Window(NamedTuple):
    """Which lines are shown, from `top` on, and how many columns the session has."""

    top: int
    height: int
    width: int


class Place(NamedTuple):
    """The cursor's cell, and the column that it returns to in lines that are long enough."""

    at: At
    wish: int

    @classmethod
    def of(cls, at: At) -> Place:
        """Return a place whose wished column is its own."""
        return cls(at, at.column)


_ALONG: Final[dict[str, Callable[[Grid, At], At]]] = {
    "left": motions.left,
    "right": motions.right,
    "word_next": motions.word_next,
    "word_previous": motions.word_previous,
    "word_end": motions.word_end,
    "line_start": motions.line_start,
    "line_text": motions.line_text,
    "line_end": motions.line_end,
    "paragraph_up": lambda grid, at: motions.paragraph(grid, at, -1),
    "paragraph_down": lambda grid, at: motions.paragraph(grid, at, 1),
}
_PAGES: Final = {"half_up": -0.5, "half_down": 0.5, "page_up": -1.0, "page_down": 1.0}
_IN_WINDOW: Final = {"top": 0.0, "middle": 0.5, "bottom": 1.0}
MOTIONS: Final = frozenset([*_ALONG, *_PAGES, *_IN_WINDOW, "up", "down", "first", "last"])


def move(
    grid: Grid, place: Place, motion: str, window: Window, *, times: int = 1, free: bool = False
) -> Place:
    """Return where a motion leads; `free` lets the cursor stand behind a line's end, for blocks.

    Raises:
        Absent: a line on the way was not read yet.
    """
    if free and motion in ("left", "right"):
        column = place.at.column + (times if motion == "right" else -times)
        return Place.of(At(place.at.line, max(0, min(column, window.width - 1))))
    if motion in _ALONG:
        at = place.at
        for _ in range(times):
            at = _ALONG[motion](grid, at)
        return Place(at, window.width if motion == "line_end" else at.column)
    return landed(grid, _line(grid, place.at.line, motion, window, times), place.wish, free=free)


def _line(grid: Grid, line: int, motion: str, window: Window, times: int) -> int:
    if motion in _PAGES:
        return line + int(_PAGES[motion] * max(2, window.height - 1)) * times
    if motion in _IN_WINDOW:
        return window.top + round(_IN_WINDOW[motion] * (window.height - 1))
    if motion == "first":
        return grid.first
    if motion == "last":
        return grid.last if times == 1 else grid.first + times - 1
    return line + (times if motion == "down" else -times)


def landed(grid: Grid, line: int, wish: int, *, free: bool = False) -> Place:
    """Return the place on a line that is nearest to a wished column.

    Raises:
        Absent: the line was not read yet.
    """
    line = max(grid.first, min(line, grid.last))
    row = grid.row(line)
    if free:
        return Place(At(line, wish), wish)
    return Place(At(line, row.start(max(0, min(wish, row.end - 1)))), wish)


def top_for(line: int, window: Window) -> int:
    """Return the first line to show so that `line` is visible; unchanged if it is visible now.

    A line that is far away comes to the middle of the window.
    """
    if window.top - window.height <= line < window.top:
        return line
    if window.top <= line < window.top + 2 * window.height:
        return max(window.top, line - window.height + 1)
    return line - window.height // 2
