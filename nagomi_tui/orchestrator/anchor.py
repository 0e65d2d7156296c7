"""Finds a line again after a reflow, which gives every row another number.

A line keeps its distance, in whole lines, from the one that the cursor is on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.screens import Screen

_BLOCK: Final = 250
_MOST: Final = 5_000
"""Rows that are looked at; a place further up keeps its distance in rows."""


class Anchor(NamedTuple):
    """A place by whole lines above the cursor's, and by the cells of its own line before it."""

    lines: int
    cells: int
    rows: int
    """Rows above those that were looked at."""


def anchor(screen: Screen, line: int) -> Anchor:
    """Return where a row is."""
    bottom = _cursor_line(screen)
    if line > bottom:
        return Anchor(0, 0, bottom - line)
    low = max(line, bottom - _MOST)
    ends = _ends(screen, low, bottom)
    start = low
    while start > max(screen.bounds[0], low - _BLOCK) and _wrapped(screen, start - 1):
        start -= 1
    return Anchor(sum(ends), (low - start) * screen.size[0], low - line)


def line_of(screen: Screen, place: Anchor) -> int:
    """Return the number that the row has now."""
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
    while line > first and _wrapped(screen, line - 1):
        line -= 1
    return max(first, line + place.cells // max(1, screen.size[0]) - place.rows)


def _cursor_line(screen: Screen) -> int:
    return screen.bounds[1] + screen.cursor.y


def _ends(screen: Screen, start: int, stop: int) -> list[bool]:
    """Return for each row whether its line ends there."""
    ends: list[bool] = []
    for at in range(start, stop, _BLOCK):
        ends += [not row.wrapped for row in screen.lines(at, min(at + _BLOCK, stop))]
    return ends


def _wrapped(screen: Screen, line: int) -> bool:
    return any(row.wrapped for row in screen.lines(line, line + 1))
