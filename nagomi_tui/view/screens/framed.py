"""A session's pane in a frame, as tiles and lanes have it."""

from __future__ import annotations

import time
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from nagomi_tui.sessions.session import Session, has_ended
from nagomi_tui.sessions.standing import needs_user
from nagomi_tui.text.cells import cells, clock
from nagomi_tui.view.common.badge import ending
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.common.widgets import part_style
from nagomi_tui.view.keymap.bindings import hint, key
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.header import header, part_classes, part_css
from nagomi_tui.view.screens.state import elapsed


def scrolled(pane: TerminalPane, *, key: str = "", width: int = 1000) -> str:
    """Return the longest form that fits in `width` cells, or "" if the end is followed.

    It tells how many lines are below, how many of these are new, and the `key` that goes there.
    """
    if pane.following:
        return ""
    return next((form for form in _forms(pane, key) if cells(form) <= width), "")


def _forms(pane: TerminalPane, key: str) -> list[str]:
    below, new = pane.lines_below, pane.new_lines
    lines = tr_count("{count} more line", "{count} more lines", below) if below else ""
    end = tr("To the end")
    words = f"↓ {end} {lines}".rstrip()
    long = tr("{words}, {count} of them new", words=words, count=new) if new else words
    short = f"↓ {below}" + (f" +{new}" if new else "")
    return [*([f"{long} ({key})"] if key else []), long, short, "↓"]


_BESIDE_KEYS: Final = 4
"""Columns of the line of an ended session that are blank."""


class Framed(Widget):
    """A session in a frame: a tile of the overview, or a lane of the chat."""

    DEFAULT_CSS = (
        part_css("Framed", "frame")
        + """
    Framed {
        padding: 1;
        background: $background;
        & > .ending {
            display: none; height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
            background: $surface; color: $foreground;
        }
        &.-ended > .ending { display: block; }
    }
    """
    )
    COMPONENT_CLASSES: ClassVar[set[str]] = part_classes("frame")

    focused_here: reactive[bool] = reactive(False)
    """Whether keys go to this session."""

    def __init__(
        self, link: Link, session: Session, *, own_size: bool = False, fps: int = 10
    ) -> None:
        super().__init__()
        self.session = session
        self._face = ""
        self.tells_place = True
        """Whether the frame tells folder and branch."""
        self._asked_time = ""
        """The time whose drawing was asked for last. Textual also draws tiles that lie between
        others, without showing them, so what was drawn says nothing."""
        self._styles: dict[str, Style] = {}
        """The parts' styles as they were looked up last; they stay while the theme does."""
        self.pane = TerminalPane(link, session.session_id, own_size=own_size, fps=fps)
        # Held, and not looked for: one that is being removed loses its parts one by one.
        self._ending = Static(classes="ending")

    def compose(self) -> ComposeResult:
        """Yield the pane, and below it the keys to press once the session has ended."""
        yield self.pane
        yield self._ending

    def on_mount(self) -> None:
        if self.display:  # else it is being removed already
            self._show_ending()

    def show(self, session: Session, *, focused: bool, fps: int, face: str = "") -> None:
        """Show the session as it is now."""
        changed, edge = (session, face) != (self.session, self._face), self._edge()
        self.session, self._face = session, face
        self.pane.session_id = session.session_id
        self.pane.fps = fps
        self.focused_here = focused
        if changed and self.is_mounted:
            self._show_ending()
            self._refresh_header()
            self.refresh(Region(-1, self.size.height, self.size.width + 2, 1))
        if edge != self._edge():
            self.refresh()

    @property
    def late(self) -> bool:
        """Whether another time is shown than has passed."""
        return self._time() != self._asked_time

    def tick(self) -> None:
        """Draw the time again if it has gone on."""
        if self.late:
            self._refresh_header()

    def _time(self) -> str:
        return clock(elapsed(self.session, time.time()))

    def _refresh_header(self) -> None:
        self._asked_time = self._time()
        # Regions count from the content, and the header lies one line above it.
        self.refresh(Region(-1, -1, self.size.width + 2, 1))

    def _show_ending(self) -> None:
        self.set_class(has_ended(self.session), "-ended")
        if not has_ended(self.session):
            return
        told, again = ending(self.session), hint("restart")
        forms = (
            tr("{again} again · {remove} remove", again=again, remove=key("remove")),
            tr("{again} again", again=again),
        )
        room = self.size.width - cells(told) - _BESIDE_KEYS
        keys = next((form for form in forms if cells(form) <= room), "")
        line = Content.assemble(f"{told}  ", (keys, "$muted"))
        self._ending.update(line)

    def on_resize(self) -> None:
        """Show the keys at the end of a session as far as they have room."""
        self._show_ending()

    def on_terminal_pane_scrolled(self) -> None:
        """Say at the bottom how far the pane is from its session's end."""
        self.refresh(Region(-1, self.size.height, self.size.width + 2, 1))

    def on_click(self, event: events.Click) -> None:
        """Go to the session's end by the words at the bottom that say how far it is."""
        width, height = self.outer_size
        words = self._words_below(width)
        if words and event.y == height - 1 and event.x > width - 4 - cells(words):
            event.stop()
            # What the pane tells then comes from the pane, and so goes on beyond this frame.
            self.pane.call_later(self.pane.follow)

    # --- drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the frame in the padding around the pane."""
        width, height = self.outer_size
        line = self._style(self._edge())
        first, end = crop.column_span
        between = self._side(width, line).crop_extend(first, end, line)
        ends = {height - 1: self._bottom, 0: self._header}
        return [
            ends[y](width, line).crop_extend(first, end, line) if y in ends else between
            for y in crop.line_range
        ]

    def _edge(self) -> str:
        """Return the frame's colour: whether it has the keys, else what it waits for."""
        if self.focused_here or not self.session.waits:
            return "focused" if self.focused_here else "frame"
        return self.session.condition.color if needs_user(self.session) else "success"

    def _bottom(self, width: int, line: Style) -> Strip:
        size, words = self._other_size(width), self._words_below(width)
        left = (
            [Segment("╰─", line), Segment(f" {size} ", self._style("muted"))]
            if size
            else [Segment("╰", line)]
        )
        right = (
            [Segment(f" {words} ", self._style("accent")), Segment("─╯", line)]
            if words
            else [Segment("╯", line)]
        )
        taken = sum(cells(part.text) for part in (*left, *right))
        if taken > width:
            left, taken = [Segment("╰", line)], taken - cells(size) - 3
        fill = Segment("─" * (width - taken), line)
        return Strip([*left, fill, *right], width)

    def _other_size(self, width: int) -> str:
        """Return the session's size where it is not that of the pane, or ""."""
        session, room = self.session, self.pane.size
        if has_ended(session) or not self.pane.display or (session.cols, session.rows) == room:
            return ""
        size = f"{session.cols}×{session.rows}"
        forms = (tr("{size}, kept", size=size), size) if session.size_kept else (size,)
        return next((form for form in forms if cells(form) + 6 <= width), "")

    def _words_below(self, width: int) -> str:
        key = hint("tail") if self.focused_here else ""
        return scrolled(self.pane, key=key, width=width - 6)

    def _side(self, width: int, line: Style) -> Strip:
        blank = Segment(" " * (width - 2), line)
        return Strip([Segment("│", line), blank, Segment("│", line)], width)

    def _header(self, width: int, line: Style) -> Strip:
        inside = [
            Segment(text, line if color == "frame" else self._part_style(color))
            for text, color in header(
                self.session, width - 2, time.time(), self._face, place=self.tells_place
            )
        ]
        return Strip([Segment("╭", line), *inside, Segment("╮", line)], width)

    def _part_style(self, color: str) -> Style:
        return self._style("name-focused" if color == "name" and self.focused_here else color)

    def _style(self, name: str) -> Style:
        if (style := self._styles.get(name)) is None:
            if not (style := part_style(self, f"frame--{name}")):
                return style  # It is not kept, since there may be another one soon.
            if self.app.no_color:  # No filter of Textual's sees these lines.
                style = style.without_color + Style(bold=name == "focused" or None)
            self._styles[name] = style
        return style

    def notify_style_update(self) -> None:
        """Look the styles up again: Textual has other ones now."""
        super().notify_style_update()
        self._styles.clear()
