"""Reads a session's lines for users and tools, a few at a time so that no other task waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyio.lowlevel import checkpoint

from nagomi_tui.api.messages import LineRows
from nagomi_tui.terminal.find import find
from nagomi_tui.terminal.text import ansi, plain

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from nagomi_tui.core.text.screen import Row
    from nagomi_tui.orchestrator.sessions.roles import Readable
    from nagomi_tui.orchestrator.terminals.readable import ReadableScreen
    from nagomi_tui.terminal.find import Match

_BLOCK: Final = 250
LINES_AT_MOST: Final = 1000
"""Lines in one answer, so that an answer is small and its reading short."""


async def capture(
    session: Readable, paused: AbstractContextManager[None], *, history: bool, colored: bool
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


async def tail(session: Readable, count: int) -> list[str]:
    """Return the last lines as text, of `count` rows, without the blank ones at the end."""
    await session.run.rebuilt.wait()
    if session.run.screen is None:
        return []
    first, _, last = session.run.screen.bounds
    rows = session.run.screen.lines(max(first, last + 1 - count), last + 1)
    return plain(rows, join=True).rstrip().split("\n")


async def lines(session: Readable, start: int, stop: int) -> LineRows:
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
    )


async def search(
    session: Readable, paused: AbstractContextManager[None], text: str, limit: int
) -> list[Match]:
    """Return where a text is in the session's lines, the newest last; `paused` as in `capture`."""
    await session.run.rebuilt.wait()
    with paused:
        return await _search(session, text, limit)


async def _search(session: Readable, text: str, limit: int) -> list[Match]:
    found: list[Match] = []
    first, _, last = session.run.screen.bounds if session.run.screen else (0, 0, -1)
    stop = last + 1
    while stop > first and len(found) < limit and (screen := session.run.screen) is not None:
        start = _line_start(screen, max(first, stop - _BLOCK), first)
        part: Any = _Part(screen, start, stop)
        found = find(part, text, limit - len(found)) + found
        stop = start
        await checkpoint()
    return found


class _Part:
    """Some lines of a screen, in the shape of an engine that has only these."""

    def __init__(self, screen: ReadableScreen, start: int, stop: int) -> None:
        self.first_line = self.screen_line = start
        self.rows = stop - start
        self.lines = screen.lines


def _line_start(screen: ReadableScreen, number: int, first: int) -> int:
    """Return the number of the first row of this row's line."""
    while number > first and any(row.wrapped for row in screen.lines(number - 1, number)):
        number -= 1
    return number
