"""The mouse in a pane: drags select, double clicks take words, Ctrl+click opens links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from textual import events
from textual.timer import Timer

from nagomi_tui.api.messages import Point
from nagomi_tui.text import selection as selections
from nagomi_tui.text.motions import word_around
from nagomi_tui.view.pane.lines import Follow, MarkedLines, link_shown, link_under

_WHEEL_LINES: Final = 3
"""Lines that one notch of the wheel scrolls."""
_WHEEL_UP: Final = 4
_WHEEL_DOWN: Final = 5
"""Numbers of the wheel's buttons."""
CHAIN_SECONDS: Final = 0.4
"""How long after a click the next one counts as the second of two."""
_EDGE_SECONDS: Final = 0.05
_EDGE_MOST: Final = 8
"""Lines that a drag beyond the edge scrolls at once, when it is far beyond."""


class Selectable(Protocol):
    """A terminal pane, as far as the mouse acts on it."""

    takes_words: bool

    def set_interval(self, interval: float, callback: Callable[[], None]) -> Timer:
        """Call back again and again, each time after so many seconds."""

    def scroll_lines(self, lines: int) -> None:
        """Scroll up (negative) or down."""

    def tell_selected(self, text: str) -> None:
        """Say what was selected."""

    def tell_link(self, target: str) -> None:
        """Say that a link is to be opened."""


@dataclass(eq=False)
class Gestures:
    """Follows the left button from press to release, and the wheel.

    Cells are kept by line number.

    `send` is for what the child is to get.
    """

    pane: Selectable
    marked: MarkedLines
    send: Callable[[Point], object]

    def __post_init__(self) -> None:
        self.buffer, self.reader = self.marked.buffer, self.marked.reader
        self.marked.dragged = self.renumbered
        self._down = False
        """Whether the button is held."""
        self._hovered: selections.At | None = None
        self._last_press = (0.0, selections.At(-1, -1))
        self._count = 0
        self._shape = selections.Shape.TEXT
        self._opens = False
        self._span = selections.At(-1, -1), selections.At(-1, -1)
        """The cell, word or line that the press took, which a drag does not give up."""
        self._edge: Timer | None = None
        self._beyond = 0
        self.selected = False
        """Whether the last press became a selection, and so is no click."""

    def wheel(self, event: events.MouseEvent, *, up: bool) -> None:
        """Scroll; a child on its alternate screen has no lines above it, and gets the wheel."""
        buffer = self.buffer
        if not buffer.modes.alt_screen:
            self.pane.scroll_lines(-_WHEEL_LINES if up else _WHEEL_LINES)
            return
        self.send(
            Point(
                session=buffer.session,
                x=event.x + buffer.scroll.left,
                y=event.y + buffer.scroll.top,
                button=_WHEEL_UP if up else _WHEEL_DOWN,
                action="press",
            )
        )

    def press(self, event: events.MouseDown) -> None:
        """Begin to select."""
        if event.button != 1:
            return
        at = self._cell(event)
        self._down, self._span, self.selected = True, (at, at), False
        self._opens = event.ctrl
        self._shape = selections.Shape.BLOCK if event.meta else selections.Shape.TEXT
        takes_words = self.pane.takes_words or event.shift
        self._count = self._chain(at, event.time) if takes_words else 1
        self.marked.select(None)
        if self._count > 1:
            self._take(at)

    def move(self, event: events.MouseMove) -> None:
        """Select up to the mouse; beyond the pane's edge, scroll meanwhile."""
        if not self._down:
            self._hover(self._cell(event))
            return
        height = self.buffer.height
        self._beyond = min(event.y, 0) + max(0, event.y - height + 1)
        self._scroll_at_edge()
        head = self._cell(event)
        if head != self._span[0] or self.selected:
            self._select(head)

    def release(self, event: events.MouseUp) -> None:
        """Copy the selection, or open the link that was clicked with Ctrl."""
        if not self._down:
            return
        self.drop()
        if self.selected:
            # The next press may come before the lines are read, and selects nothing.
            chosen = self._selection
            self.reader.read(
                lambda grid: self._text(grid, self._selection or chosen), self.pane.tell_selected
            )
        elif self._opens:
            self.selected = True
            self._open(self._span[0])

    def drop(self) -> None:
        """Follow the button no further."""
        self._down = False
        self._beyond = 0
        self._scroll_at_edge()

    def leave(self) -> None:
        """The mouse has left the pane."""
        self._hovered = None
        self.marked.point_at(None)

    def renumbered(self, follow: Follow) -> None:
        """The session was reflowed: what is dragged from stays with its text."""
        if self._down:
            first, last = map(follow, self._span)
            self.reader.follow(lambda grid: (first(grid), last(grid)), self._hold)

    # --- steps

    def _hover(self, at: selections.At) -> None:
        """Show the link under the mouse, where the terminal tells of its motion."""
        if at != self._hovered:
            self._hovered = at
            buffer = self.buffer
            # A program with the mouse gets the click, too.
            self.marked.point_at(None if buffer.modes.mouse else link_under(buffer, at))

    def _cell(self, event: events.MouseEvent) -> selections.At:
        buffer = self.buffer
        scroll = buffer.scroll
        y = min(max(event.y, 0), buffer.height - 1)
        x = min(max(event.x, 0), buffer.width - 1)
        return selections.At(min(scroll.line + y, scroll.last_line), scroll.left + x)

    def _chain(self, at: selections.At, now: float) -> int:
        """Count clicks by when each came: a busy application may take them in later."""
        before, self._last_press = self._last_press, (now, at)
        again = now - before[0] < CHAIN_SECONDS and before[1] == at
        return self._count % 3 + 1 if again else 1

    def _take(self, at: selections.At) -> None:
        """Take the word at a cell, or with a third click its line."""

        def span(grid: selections.Grid) -> tuple[selections.At, selections.At]:
            if self._count == 3:
                return selections.At(selections.line_first(grid, at.line), 0), selections.At(
                    selections.line_last(grid, at.line), selections.END
                )
            if link := selections.link_at(grid, at):
                return link.first, link.last
            return word_around(grid, at, paths=True)

        def taken(found: tuple[selections.At, selections.At]) -> None:
            self._hold(found)
            self._select(found[1])

        self.selected = True
        self.reader.read(span, taken)

    def _hold(self, span: tuple[selections.At, selections.At]) -> None:
        self._span = span

    def _select(self, head: selections.At) -> None:
        self.selected = True
        first, last = self._span
        anchor, head = (last, head) if head < first else (first, max(last, head))
        self.marked.select(selections.Selection(anchor, head, self._shape))

    @property
    def _selection(self) -> selections.Selection | None:
        return self.buffer.marks.selection if self.buffer.marks else None

    @staticmethod
    def _text(grid: selections.Grid, selection: selections.Selection | None) -> str:
        return selections.copied(grid, selection) if selection else ""

    def _scroll_at_edge(self) -> None:
        if not self._beyond and self._edge is not None:
            self._edge.stop()
            self._edge = None
        elif self._beyond and self._edge is None:
            self._edge = self.pane.set_interval(_EDGE_SECONDS, self._scroll)

    def _scroll(self) -> None:
        """Move on while the button is held beyond the edge."""
        pane, buffer = self.pane, self.buffer
        if not self._beyond or buffer.modes.alt_screen or not self._down:
            return
        pane.scroll_lines(max(-_EDGE_MOST, min(_EDGE_MOST, self._beyond)))
        top, scroll = buffer.top_line, buffer.scroll
        line = top if self._beyond < 0 else top + buffer.height - 1
        column = scroll.left if self._beyond < 0 else scroll.left + buffer.width - 1
        self._select(selections.At(min(line, scroll.last_line), column))

    def _open(self, at: selections.At) -> None:
        shown = link_shown(self.buffer, at)
        if shown:
            self.pane.tell_link(shown.target)
            return

        def target(grid: selections.Grid) -> str:
            link = selections.link_at(
                grid, selections.At(at.line, grid.row(at.line).start(at.column))
            )
            return link.target if link else ""

        self.reader.read(target, self.pane.tell_link)
