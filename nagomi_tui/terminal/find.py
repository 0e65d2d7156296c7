"""Searches a session's lines, across the rows that one long line was wrapped into."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.text.screen import Row
    from nagomi_tui.terminal.engine import Engine

Match = tuple[int, int, int]
"""Line number, column and width in cells of the first row that the match touches."""

_BLOCK: Final = 1000


def find(engine: Engine, needle: str, limit: int = 1000) -> list[Match]:
    """Return the newest `limit` matches, the newest last.

    Capitals matter only if the needle has one. A match that goes on in the next row is told
    once, with all its cells.
    """
    if not needle or limit <= 0:
        return []
    exact = needle != needle.lower()
    found: list[Match] = []
    for number, rows in _lines_backwards(engine):
        text = "".join(_text(row) for row in rows)
        hits = _places(text if exact else _lower(text), needle)
        if hits:
            found += [_locate(rows, number, hit, len(needle)) for hit in reversed(hits)]
            if len(found) >= limit:
                break
    return found[:limit][::-1]


def _lines_backwards(engine: Engine) -> Iterator[tuple[int, list[Row]]]:
    """Return each whole line, newest first, as the number of its first row and its rows."""
    stop = engine.screen_line + engine.rows
    line: list[Row] = []
    while stop > engine.first_line:
        start = max(engine.first_line, stop - _BLOCK)
        rows = engine.lines(start, stop, plain=True)
        for at in range(len(rows) - 1, -1, -1):
            if line and not rows[at].wrapped:
                yield start + at + 1, line[::-1]
                line = []
            line.append(rows[at])
        stop = start
    if line:
        yield stop, line[::-1]


def _text(row: Row) -> str:
    return "".join([run.text for run in row.runs])


def _lower(text: str) -> str:
    """Return lower case with every character in its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _places(text: str, needle: str) -> list[int]:
    places: list[int] = []
    at = text.find(needle)
    while at >= 0:
        places.append(at)
        at = text.find(needle, at + len(needle))
    return places


def _locate(rows: list[Row], number: int, start: int, length: int) -> Match:
    """Return where the characters `start` to `start + length` of a line stand."""
    lengths = [len(_text(row)) for row in rows]
    starts = [sum(lengths[:at]) for at in range(len(lengths))]
    at = bisect_right(starts, start) - 1
    column = _cells(rows[at], start - starts[at])
    cells, end = -column, start + length
    while at + 1 < len(rows) and end > starts[at + 1]:
        cells += rows[at].cells
        at += 1
    cells += _cells(rows[at], end - starts[at])
    return number + bisect_right(starts, start) - 1, column, cells


def _cells(row: Row, characters: int) -> int:
    """Return how many cells the row's first characters fill; a cluster counts whole."""
    cells = 0
    for run in row.runs:
        if characters <= 0:
            break
        taken = min(characters, len(run.text))
        cells += run.unit * taken if run.unit > 0 else -run.unit
        characters -= taken
    return cells
