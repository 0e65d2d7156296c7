"""The widget that lists sessions, one line for each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from nagomi_tui.judge.verdict import beside_state
from nagomi_tui.sessions.order import Listing
from nagomi_tui.sessions.places import place_of, plainly
from nagomi_tui.sessions.session import Condition, Session, has_ended
from nagomi_tui.sessions.standing import badge_words
from nagomi_tui.text.cells import cells, clock, cut, cut_left, cut_middle, pad, printable
from nagomi_tui.view.common.badge import ending
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.common.widgets import ActionAsked, Chip, SessionChosen, part_style
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.screens.header import Part, part_classes, part_css, places_differ
from nagomi_tui.view.screens.state import elapsed

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
    words = max((cells(badge_words(session, tr)) for session in sessions), default=0)
    number = max((len(str(session.number)) for session in sessions), default=1)
    word, since = words if wide else 0, 7 if width >= _SINCE_FROM else 0
    left = width - 8 - number - (word + 2 if word else 0) - (since + 1 if since else 0)
    name = min(names, 40 if wide else 28, max(_NAME_AT_LEAST, left - _SAID_AT_LEAST))
    place = min(folders, 30 if wide else 14, left - name - _SAID_AT_LEAST - 2)
    if width < _FOLDER_FROM or place < min(folders, _FOLDER_AT_LEAST):
        place = 0
    if not places_differ(sessions):
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
    look = session.condition
    text, color = said(session, gist)
    if not text:
        text, color = printable(plainly(session.cmd)), "muted"
    sign = Part("▌" if focused else " ", "focused")
    mark = Part("•" if marked else " ", "accent")
    start = [
        sign,
        mark,
        Part(f"{look.shape} ", look.color),
        *([Part(pad(badge_words(session, tr), room.word + 2), look.color)] if room.word else []),
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
    if session.condition is Condition.AWAY:
        return ending(session), "muted"
    summary = printable(beside_state(session.summary))
    if session.phase is Condition.ATTENTION and not has_ended(session):
        return summary or gist, "accent"
    color = "muted" if has_ended(session) and not session.waits else "foreground"
    if session.phase is Condition.ERROR:
        return summary or gist or ending(session), color
    return gist or summary or ending(session), color


def folder(session: Session) -> str:
    return printable(place_of(session, os.path.expanduser("~")))


def ended_words(sessions: Sequence[Session]) -> str:
    """Return how many have ended, the key that says what can be done with them, and their names."""
    count = len(sessions)
    head = tr_count("{count} ended", "{count} ended", count)
    names = ", ".join(f"{one.condition.shape} {printable(one.name)}" for one in sessions)
    return f"▸ {head} ({hint('ended')})  {names}"


class EndedLine(Chip):
    """The line at the foot of the tiles; a click on it asks what is to be done."""

    DEFAULT_CSS = """
    EndedLine {
        dock: bottom; width: 100%; height: 1; display: none; color: $muted;
        background: $background; text-wrap: nowrap; text-overflow: ellipsis;
    }
    EndedLine.-open { display: block; }
    """

    def __init__(self) -> None:
        super().__init__("ended")

    def show(self, sessions: Sequence[Session]) -> None:
        """Stand for these sessions, or for none."""
        self.set_class(bool(sessions), "-open")
        self.update(Content(ended_words(sessions)) if sessions else "")


class SessionList(ScrollView, can_focus=False):
    """Draws the lines itself, so that many sessions cost as little as they show."""

    DEFAULT_CSS = (
        part_css("SessionList", "list")
        + """
    SessionList {
        height: 1fr; background: $background; scrollbar-size-vertical: 1; overflow-x: hidden;
        & > .list--row-focused { color: $foreground; background: $surface; text-style: $row-focused; }
    }
    """
    )
    COMPONENT_CLASSES: ClassVar[set[str]] = {*part_classes("list"), "list--row-focused"}

    class Resized(Message):
        """The list has another height or width."""

    def __init__(self, gist: Callable[[str], str]) -> None:
        """`gist` returns what a session printed last, by its id."""
        super().__init__()
        self._gist = gist
        self._shown: list[Session] = []
        self._columns: tuple[int, Columns] | None = None
        """The widths of columns for what is shown, and the width of the list that they are for."""
        self._folded: list[Session] = []
        self._focused = ""
        self._marked: frozenset[str] = frozenset()
        self._moved = True
        """Whether the focused line may be out of sight; not while the user scrolls about."""
        self._chosen = False
        """Whether another session got the focus since the list is shown."""

    def on_resize(self) -> None:
        """Look again whether the focused line is seen."""
        self._moved = True
        self.post_message(self.Resized())

    def show(self, listing: Listing, focused: str, marked: Sequence[Session]) -> None:
        """Show these sessions, and keep the line of the focused one in sight."""
        is_seen = self._focused in {session.session_id for session in self.in_sight}
        seen_at, changes = self._focused_at() if is_seen else None, focused != self._focused
        self._shown, self._folded, self._columns = listing.shown, listing.folded, None
        self._chosen = self._chosen or (changes and bool(self._focused))
        self._focused = focused
        # Its line moves, too, when its need changes; a user who has scrolled it away is left alone.
        self._moved = self._moved or changes or seen_at not in (None, self._focused_at())
        self._marked = frozenset(session.session_id for session in marked)
        self.virtual_size = Size(self.size.width, self.lines)
        self.refresh()

    @property
    def lines(self) -> int:
        return len(self._shown) + bool(self._folded)

    @property
    def in_sight(self) -> list[Session]:
        """The sessions whose lines are seen."""
        top = self.scroll_offset.y
        return self._shown[top : top + max(1, self.size.height)]

    def keep_in_sight(self) -> None:
        """Scroll to the line of the focused session if it has moved; first lines stay if they can.

        Until another session gets the focus they stay where they tell who waits.
        """
        at, height = self._focused_at(), self.size.height
        if at is None or not self._moved or not height:
            return
        self._moved = False
        # Who waits is seen first; the focused session itself is seen below in any case.
        first = at < height or (self._shown[0].waits and not self._chosen)
        top = 0 if first else min(max(self.scroll_offset.y, at - height + 1), at)
        self.scroll_to(y=top, animate=False, force=True)

    def _focused_at(self) -> int | None:
        """Return the number of the focused session's line."""
        found = (at for at, one in enumerate(self._shown) if one.session_id == self._focused)
        return next(found, None)

    # --- drawing

    def render_line(self, y: int) -> Strip:
        at, width = self.scroll_offset.y + y, self.size.width
        if at < len(self._shown):
            return self._session(self._shown[at], width)
        if at == len(self._shown) and self._folded:
            return self._strip([Part(pad(self._ended(width - 2), width), "muted")], width)
        return Strip.blank(width, self.rich_style)

    def _session(self, session: Session, width: int) -> Strip:
        focused = session.session_id == self._focused
        parts = line(
            session,
            self._gist(session.session_id),
            time.time(),
            width,
            self._room(width),
            focused=focused,
            marked=session.session_id in self._marked,
        )
        return self._strip(parts, width, row="row-focused" if focused else "")

    def _room(self, width: int) -> Columns:
        """Return the widths of columns; it takes a look at each session, and is kept for all lines."""
        if self._columns is None or self._columns[0] != width:
            self._columns = width, columns(self._shown, width)
        return self._columns[1]

    def _strip(self, parts: list[Part], width: int, *, row: str = "") -> Strip:
        base = self._style(row) if row else self.rich_style
        drawn = [Segment(text, self._over(base, color)) for text, color in parts]
        return Strip(drawn).adjust_cell_length(width, base)

    def _over(self, base: Style, color: str) -> Style:
        style = self._style(color)
        if base.reverse:
            return base + Style(bold=style.bold)
        return Style(color=style.color, bgcolor=base.bgcolor, bold=style.bold)

    def _style(self, name: str) -> Style:
        return part_style(self, f"list--{name}")

    def _ended(self, width: int) -> str:
        return cut(f"  {ended_words(self._folded)}", width)

    # --- the mouse

    def on_click(self, event: events.Click) -> None:
        """Choose the clicked session, or what is done with those that have ended."""
        event.stop()
        at = self.scroll_offset.y + event.y
        if at < len(self._shown):
            self.post_message(SessionChosen(self._shown[at].session_id))
        elif at == len(self._shown) and self._folded:
            self.post_message(ActionAsked("ended"))
