"""What a session has printed, as text: all of it, some lines, or where something stands."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nagomi_tui.api.messages.base import Request, Result
from nagomi_tui.api.messages.sessions import SessionNamed


class Captured(SessionNamed, frozen=True, kw_only=True):
    """A session's text."""

    text: str


class Matches(Result, frozen=True, kw_only=True):
    """Where a text stands, the newest place last."""

    matches: tuple[tuple[int, int, int], ...]
    """Line number, column and width in cells of the first row that each one touches."""


class LineRows(Result, frozen=True, kw_only=True):
    """Lines by number, and which of them there are."""

    start: int
    """Number of the first of `rows`."""
    rows: tuple[tuple[bool, tuple[tuple[str, int], ...]], ...]
    """Whether the line goes on in the next row, and its runs: text and unit as in a frame."""
    first_line: int
    screen_line: int
    last_line: int


class StoredLine(Result, frozen=True, kw_only=True):
    """A line that a session printed at some time, masked."""

    session_id: str
    session: str
    at: float
    """Seconds since the epoch."""
    line: str
    gap: int
    """So many lines before the next one were not kept; the text is empty then."""


class StoredLines(Result, frozen=True, kw_only=True):
    """Stored lines, oldest first."""

    lines: tuple[StoredLine, ...]


class Capture(Request[Captured], frozen=True, kw_only=True, tag="capture"):
    """Ask for a session's text."""

    session: str
    history: bool = False
    ansi: bool = False


class Search(Request[Matches], frozen=True, kw_only=True, tag="search"):
    """Find text in a session; the newest `limit` places are told."""

    session: str
    text: str
    limit: int = 1000


class Lines(Request[LineRows], frozen=True, kw_only=True, tag="lines"):
    """Ask for lines by number, at most 1000; those not kept are left out."""

    session: str
    start: int
    stop: int


class SearchHistory(Request[StoredLines], frozen=True, kw_only=True, tag="search_history"):
    """Find the newest lines that any session has printed, ended and removed ones too.

    Upper and lower case are one; without a text every line is meant. A session that is off the
    list is named by its id, name or the beginning of its id.
    """

    text: str = ""
    session: str = ""
    since: float = 0.0
    """Seconds since the epoch."""
    limit: Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 10_000})] = 100
    """From 1 to 10,000."""
