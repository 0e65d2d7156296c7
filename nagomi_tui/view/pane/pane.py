"""The terminal pane: a widget that shows one view of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.theme import Theme

from nagomi_tui.text.rows import Style
from nagomi_tui.text.selection import Look
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.textual_private import placed
from nagomi_tui.view.common.widgets import TakesDrags
from nagomi_tui.view.pane.buffer import PaneBuffer
from nagomi_tui.view.pane.layers import looks_of
from nagomi_tui.view.pane.lines import LineReader, MarkedLines
from nagomi_tui.view.pane.mouse import Gestures
from nagomi_tui.view.pane.rows import AnsiStrip
from nagomi_tui.view.pane.viewport import Viewport


class TerminalPane(TakesDrags, can_focus=False):
    """Shows one session: from its tail, or from where it was scrolled to.

    It has no border or padding of its own, so that its cells are the terminal's; a container
    around it holds those. Rows come from the link's IO thread, which paints them by itself
    where nothing lies over the pane.
    """

    ALLOW_SELECT: ClassVar[bool] = False
    takes_words = False
    """Whether two clicks take the word; in tiles they do something else."""
    DEFAULT_CSS = """
    TerminalPane { width: 1fr; height: 1fr; border: none; padding: 0; background: ansi_default; }
    """

    @dataclass
    class Scrolled(Message):
        """The pane follows the tail or no longer does, or more lines are below it."""

        pane: TerminalPane

    @dataclass
    class Clicked(Message):
        """The pane was clicked, at a cell of it; `double` for the second click of two."""

        pane: TerminalPane
        x: int
        y: int
        double: bool

    @dataclass
    class Selected(Message):
        """Text was selected with the mouse, to be copied."""

        text: str

    @dataclass
    class LinkPointed(Message):
        """The mouse is on a link, or on none any more."""

        target: str

    @dataclass
    class LinkChosen(Message):
        """A link is to be opened."""

        target: str

    def __init__(
        self, link: Link, session_id: str = "", *, own_size: bool = False, fps: int = 10
    ) -> None:
        super().__init__()
        self.link = link
        self.viewport = Viewport(own_size=own_size, fps=fps)
        self.buffer = PaneBuffer(link, self.viewport, self._show_changes)
        self.buffer.begin(link.new_view(), session_id)
        self.reader = LineReader(link, self.buffer)
        """The session's lines, beyond what is shown."""
        self.marked = MarkedLines(
            self.buffer,
            self.viewport,
            self.reader,
            looks=self._looks_now,
            laid=self._marks_laid,
            ask_again=self._ask_again,
            pointed=lambda target: self.post_message(self.LinkPointed(target)),
        )
        """What is marked of the lines, and who hears of a reflow."""
        self._gestures = Gestures(self, self.marked, link.send)
        self._theme: Theme | None = None
        self._looks = looks_of(Theme(name="", primary="white"))
        self._shown = False
        self._in_sight = True
        self._said_scroll = (True, 0)

    # --- what it shows

    @property
    def session_id(self) -> str:
        """The session shown; another one may be set at any time."""
        return self.buffer.session

    @session_id.setter
    def session_id(self, session_id: str) -> None:
        if session_id == self.buffer.session:
            return
        self._unview()
        self.buffer.begin(self.link.new_view(), session_id)
        self._view()
        self._tell_scrolled()
        self.refresh()

    @property
    def own_size(self) -> bool:
        """Whether the session's PTY takes this pane's size (zoom, lane)."""
        return self.viewport.own_size

    @own_size.setter
    def own_size(self, own_size: bool) -> None:
        self.viewport.own_size = own_size
        self._ask_again()

    def hold_size(self, held: bool) -> None:
        """Leave the session's size alone for now, whatever the pane's is."""
        if self.viewport.hold_size(held):
            self._ask_again()

    @property
    def fps(self) -> int:
        """Most frames a second that the session is drawn with."""
        return self.viewport.fps

    @fps.setter
    def fps(self, fps: int) -> None:
        if fps != self.viewport.fps:
            self.viewport.fps = fps
            self._ask_again()

    @property
    def in_sight(self) -> bool:
        """Whether its container has scrolled to some of it; if not, it asks for no frames."""
        return self._in_sight

    @in_sight.setter
    def in_sight(self, in_sight: bool) -> None:
        self._in_sight = in_sight
        if in_sight:
            self._view()
        else:
            self._unview()

    @property
    def following(self) -> bool:
        """Whether the tail is shown, whatever comes."""
        return self.viewport.line is None

    @property
    def lines_below(self) -> int:
        return self.buffer.lines_below

    @property
    def new_lines(self) -> int:
        """How many of these came since the tail is not followed."""
        return self.buffer.new_lines

    def scroll_lines(self, lines: int) -> None:
        """Scroll up (negative) or down; at the end the tail is followed again."""
        self.scroll_to_line(self.buffer.top_line + lines)

    def scroll_to_line(self, line: int) -> None:
        """Show the session from a line on, by its number."""
        if self.buffer.scroll_to(line):
            self._ask_again()
            self._tell_scrolled()

    def show_from(self, line: int, left_tail_at: int) -> None:
        """Show the session from a line on, as a pane did before."""
        self.viewport.fix(line, left_tail_at)
        self._ask_again()

    def scroll_to_column(self, left: int | None) -> None:
        """Show the session from a column on, or follow its cursor."""
        if self.viewport.scroll_to_column(left):
            self._ask_again()

    def hold(self) -> None:
        """Stay with the lines that are shown, whatever comes, until `follow`."""
        self.viewport.hold()
        self.scroll_to_line(self.buffer.top_line)

    def follow(self) -> None:
        """Show the tail, and follow it."""
        if self.viewport.follow():
            self._ask_again()
            self._tell_scrolled()

    # --- what lies over it

    def tell_selected(self, text: str) -> None:
        """Post `Selected`, unless the text is empty."""
        if text:
            self.post_message(self.Selected(text))

    def tell_link(self, target: str) -> None:
        """Post `LinkChosen`, unless there is no target."""
        if target:
            self.post_message(self.LinkChosen(target))

    def _looks_now(self) -> Mapping[Look, Style]:
        if self._theme is not self.app.current_theme:
            self._theme = self.app.current_theme
            self._looks = looks_of(self._theme)
        return self._looks

    def _marks_laid(self) -> None:
        frame_writer = self.link.frame_writer
        if frame_writer is None or not frame_writer.repaint(self.buffer):
            self._show_changes()

    # --- what happens to it

    def on_mount(self) -> None:
        self._view()

    def watch_virtual_size(self, size: Size) -> None:
        """Ask for rows of the new size at once: they come while the layout is being drawn."""
        self._fit(size)

    def on_resize(self, event: events.Resize) -> None:
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        if (size.width, size.height) != (self.buffer.width, self.buffer.height):
            self.buffer.resize(size.width, size.height)
            self._ask_again()
        self._view()

    def on_show(self) -> None:
        self._view()

    def on_hide(self) -> None:
        self._unview()

    def on_unmount(self) -> None:
        self._unview()

    def on_click(self, event: events.Click) -> None:
        """Post `Clicked`, unless the mouse has selected text."""
        event.stop()
        if not self._gestures.selected:
            self.post_message(self.Clicked(self, event.x, event.y, event.chain % 2 == 0))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._gestures.press(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection, or point at a link."""
        self._gestures.move(event)

    def on_leave(self) -> None:
        """Point at no link any more."""
        self._gestures.leave()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._gestures.release(event)

    def on_mouse_release(self) -> None:
        """Select no further: something else has the mouse, such as a dialog that came up."""
        self._gestures.drop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._gestures.wheel(event, up=True)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._gestures.wheel(event, up=False)

    def _view(self) -> None:
        if self._shown or not self._in_sight or not self.is_attached:
            return
        if self.buffer.wanted() is not None:
            self._shown = True
            self.link.show(self.buffer, self.buffer.view)

    def _unview(self) -> None:
        if self._shown:
            self._shown = False
            self.link.hide(self.buffer.view)

    def _ask_again(self) -> None:
        if self._shown and (wanted := self.buffer.wanted()) is not None:
            self.link.send(wanted)

    def _show_changes(self) -> None:
        """Repaint the rows that changed, where the frame writer does not do it."""
        if not self.is_attached:
            return
        self._tell_scrolled()
        if self.buffer.terminal.exposed_at is not None:
            return
        if regions := [
            Region(0, first, self.size.width, end - first)
            for first, end in _neighbours(self.buffer.take_stale())
        ]:
            self.refresh(*regions)

    def _tell_scrolled(self) -> None:
        said = (self.following, self.lines_below)
        if said != self._said_scroll:
            self._said_scroll = said
            self.post_message(self.Scrolled(self))

    # --- drawing by Textual

    def render_line(self, y: int) -> Strip:
        strips = self.buffer.strips(placed(self).x)
        return strips[y] if y < len(strips) else Strip.blank(self.size.width)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return rows as they are kept; Textual's own style and filter passes are left out."""
        strips = self.buffer.strips(placed(self).x)
        lines = [strips[y] if y < len(strips) else Strip.blank(crop.width) for y in crop.line_range]
        if self.is_attached and not self.screen.is_active:
            # Lines under a dialog are joined and cut again by Textual, within characters even.
            lines = [line.simple() if isinstance(line, AnsiStrip) else line for line in lines]
        first, end = crop.column_span
        if first == 0 and end == self.buffer.width:
            return lines
        return [line.crop_extend(first, end, None) for line in lines]


def _neighbours(lines: list[int]) -> list[tuple[int, int]]:
    """Return the stretches, first and end, of neighbouring lines."""
    stretches: list[tuple[int, int]] = []
    for line in lines:
        if stretches and stretches[-1][1] == line:
            stretches[-1] = (stretches[-1][0], line + 1)
        else:
            stretches.append((line, line + 1))
    return stretches
