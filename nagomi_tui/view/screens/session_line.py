"""One session in one line: badge, number, name, what it says, since when, and where."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.core.judge.sentences import beside_state
from nagomi_tui.core.session.condition import Condition, condition
from nagomi_tui.core.session.own_shell import plainly
from nagomi_tui.core.session.place import place_of
from nagomi_tui.core.session.session import Phase, has_ended
from nagomi_tui.core.text.text import cells, clock, cut, cut_left, cut_middle, pad, printable
from nagomi_tui.view.common.badge import badge, ending
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.screens.header import Part
from nagomi_tui.view.screens.state import elapsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.session.session import Session

_WORD_FROM: Final = 110
"""Columns from which the badge has its word."""
_FOLDER_FROM: Final = 64
_SINCE_FROM: Final = 44
_NAME_AT_LEAST: Final = 16
_SAID_AT_LEAST: Final = 24
"""Cells for what a session asks or says before its name takes more than its least."""
_FOLDER_AT_LEAST: Final = 8
"""Cells below which a folder that needs more tells nothing."""


class Columns(NamedTuple):
    """Widths of the columns of all lines, in cells; 0 for one that is left out."""

    number: int
    word: int
    name: int
    since: int
    folder: int


def columns(sessions: Sequence[Session], width: int) -> Columns:
    """Return the widths that show the most of these sessions in lines of `width` cells.

    Names are cut last: they take what the folders would have, but leave room for what is said.
    """
    wide = width >= _WORD_FROM
    names = max((cells(printable(session.name)) for session in sessions), default=0)
    folders = max((cells(folder(session)) for session in sessions), default=0)
    words = max((cells(tr(badge(session).word)) for session in sessions), default=0)
    number = max((len(str(session.number)) for session in sessions), default=1)
    word, since = words if wide else 0, 7 if width >= _SINCE_FROM else 0
    left = width - 8 - number - (word + 2 if word else 0) - (since + 1 if since else 0)
    name = min(names, 40 if wide else 28, max(_NAME_AT_LEAST, left - _SAID_AT_LEAST))
    place = min(folders, 30 if wide else 14, left - name - _SAID_AT_LEAST - 2)
    if width < _FOLDER_FROM or place < min(folders, _FOLDER_AT_LEAST):
        place = 0
    return Columns(number=number, word=word, name=name, since=since, folder=place)


def line(
    session: Session,
    gist: str,
    now: float,
    width: int,
    room: Columns,
    *,
    focused: bool,
    marked: bool,
) -> list[Part]:
    """Return the parts of a line of exactly `width` cells; `gist` is what it printed last."""
    look = badge(session)
    text, color = said(session, gist)
    if not text:
        text, color = printable(plainly(session.cmd)), "muted"
    sign = Part("▌" if focused else " ", "focused")
    mark = Part("•" if marked else " ", "accent")
    start = [
        sign,
        mark,
        Part(f"{look.shape} ", look.color),
        *([Part(pad(tr(look.word), room.word + 2), look.color)] if room.word else []),
        Part(f"{session.number:>{room.number}} ", "number"),
        Part(
            pad(cut_middle(printable(session.name), room.name), room.name),
            "name-focused" if focused else "name",
        ),
    ]
    end = []
    if room.since:
        end.append(Part(f" {clock(elapsed(session, now)):>{room.since}}", "time"))
    if room.folder:
        end.append(Part("  " + pad(cut_left(folder(session), room.folder), room.folder), "place"))
    left = width - sum(cells(part.text) for part in (*start, *end)) - 3
    if left < 1:
        return [Part(pad(cut("".join(part.text for part in start), width), width), "name")]
    return [*start, Part(f"  {pad(cut(text, left), left)}", color), *end, Part(" ", "time")]


def said(session: Session, gist: str) -> tuple[str, str]:
    """Return what a session asks, how it stands, or its last line, and the colour of that.

    A fixed summary says no more than the badge, and is left out.
    """
    if condition(session) is Condition.AWAY:
        return ending(session), "muted"
    summary = printable(beside_state(session.summary))
    if session.phase is Phase.ATTENTION and not has_ended(session):
        return summary or gist, "accent"
    color = "muted" if has_ended(session) and not session.waits else "foreground"
    if session.phase is Phase.ERROR:
        return summary or gist or ending(session), color
    return gist or summary or ending(session), color


def folder(session: Session) -> str:
    """Return the session's folder in its short form."""
    return printable(place_of(session, os.path.expanduser("~")))
