"""Reads and searches a session's lines, a few at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final

from anyio.lowlevel import checkpoint

from nagomi_tui.api.messages import LineRows, Matches
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.text.rows import Row
from nagomi_tui.text.sgr import ansi, plain

Match = tuple[int, int, int]
"""Line number, column and width in cells of the first row that the match touches."""


def find(rows: Sequence[Row], start: int, needle: str, limit: int) -> list[Match]:
    """Return the newest `limit` matches in rows, of which the first has the number `start`; the newest last.

    Capitals matter only if the needle has one. A match that goes on in the next row is told
    once, with all its cells.
    """
    if not needle or limit <= 0:
        return []
    exact = needle != needle.lower()
    found: list[Match] = []
    for number, line in _lines_backwards(rows, start):
        text = "".join(_text(row) for row in line)
        hits = _places(text if exact else _lower(text), needle)
        if hits:
            found += [_locate(line, number, hit, len(needle)) for hit in reversed(hits)]
            if len(found) >= limit:
                break
    return found[:limit][::-1]


def _lines_backwards(rows: Sequence[Row], start: int) -> Iterator[tuple[int, list[Row]]]:
    """Yield each whole line, newest first, as the number of its first row and its rows."""
    line: list[Row] = []
    for number, row in reversed([*enumerate(rows, start)]):
        if line and not row.wrapped:
            yield number + 1, line[::-1]
            line = []
        line.append(row)
    if line:
        yield start, line[::-1]


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


_BLOCK: Final = 250
LINES_AT_MOST: Final = 1000
"""Lines in one answer, so that an answer is small and its reading short."""


async def capture(
    session: SessionRuntime, paused: AbstractContextManager[None], *, history: bool, colored: bool
) -> str:
    """Return the session's text: its screen, or with `history` all lines; wrapped rows are joined.

    No output is applied while `paused` is entered, since lines are read in pieces.
    """
    await session.run.rebuilt.wait()
    rows: list[Row] = []
    with paused:
        first, top, last = session.run.screen.bounds if session.run.screen else (0, 0, -1)
        for start in range(first if history else top, last + 1, _BLOCK):
            if session.run.screen is None:
                break
            rows += session.run.screen.lines(start, min(start + _BLOCK, last + 1))
            await checkpoint()
    while rows and not rows[-1].text:
        rows.pop()
    return ansi(rows, join=True) if colored else plain(rows, join=True)


async def tail(session: SessionRuntime, count: int) -> list[str]:
    """Return the last lines as text, of `count` rows, without the blank ones at the end."""
    await session.run.rebuilt.wait()
    if session.run.screen is None:
        return []
    first, _, last = session.run.screen.bounds
    rows = session.run.screen.lines(max(first, last + 1 - count), last + 1)
    return plain(rows, join=True).rstrip().split("\n")


async def lines(session: SessionRuntime, start: int, stop: int) -> LineRows:
    """Return rows by number, without styles, and the numbers of the lines that there are."""
    await session.run.rebuilt.wait()
    first, top, last = session.run.screen.bounds if session.run.screen else (0, 0, -1)
    start = min(max(start, first), last + 1)
    stop = min(stop, start + LINES_AT_MOST, last + 1)
    rows = (
        session.run.screen.lines(start, stop, plain=True)
        if session.run.screen and stop > start
        else []
    )
    return LineRows(
        start=start,
        rows=tuple((row.wrapped, tuple((run.text, run.unit) for run in row.runs)) for row in rows),
        first_line=first,
        screen_line=top,
        last_line=last,
        cols=_cols(session),
    )


async def search(
    session: SessionRuntime, paused: AbstractContextManager[None], text: str, limit: int
) -> Matches:
    """Return where a text is in the session's lines, the newest last; `paused` as in `capture`."""
    await session.run.rebuilt.wait()
    with paused:
        while True:
            cols = _cols(session)
            found = await _search(session, text, limit)
            if cols == _cols(session):  # else it was reflowed meanwhile
                return Matches(matches=tuple(found), cols=cols)


def _cols(session: SessionRuntime) -> int:
    return session.run.screen.size[0] if session.run.screen else 0


async def _search(session: SessionRuntime, text: str, limit: int) -> list[Match]:
    found: list[Match] = []
    first, _, last = session.run.screen.bounds if session.run.screen else (0, 0, -1)
    stop = last + 1
    while stop > first and len(found) < limit and (screen := session.run.screen) is not None:
        start = _line_start(screen, max(first, stop - _BLOCK), first)
        rows = screen.lines(start, stop, plain=True)
        found = find(rows, start, text, limit - len(found)) + found
        stop = start
        await checkpoint()
    return found


def _line_start(screen: Screen, number: int, first: int) -> int:
    """Return the number of the first row of this row's line."""
    while number > first and any(row.wrapped for row in screen.lines(number - 1, number)):
        number -= 1
    return number
