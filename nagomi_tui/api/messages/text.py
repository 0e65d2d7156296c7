"""What a session has printed, as text: all of it, some lines, or where something stands."""

from __future__ import annotations

from nagomi_tui.api.messages.base import Request


class Capture(Request, frozen=True, kw_only=True, tag="capture"):
    """Ask for a session's text; `done.result` is `{"text": …}`."""

    session: str
    history: bool = False
    ansi: bool = False


class Search(Request, frozen=True, kw_only=True, tag="search"):
    """Find text in a session; `done.result` is `{"matches": [[line, column, cells], …]}`."""

    session: str
    text: str
    limit: int = 1000


class Lines(Request, frozen=True, kw_only=True, tag="lines"):
    """Ask for lines by number, at most 1000; those not kept are left out.

    `done.result` is `{"start": …, "rows": [[wrapped, [[text, unit], …]], …], "first_line": …,
    "screen_line": …, "last_line": …}` with text and unit as in a run.
    """

    session: str
    start: int
    stop: int
