"""Copy mode's cursor on one pane: it moves, selects, and scrolls its line into view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.text.motions import (
    Distance,
    Place,
    Window,
    distance,
    landed,
    move,
    reached,
    top_for,
    word_around,
)
from nagomi_tui.text.selection import (
    END,
    Absent,
    At,
    Hyperlink,
    Selection,
    Shape,
    copied,
    line_first,
    line_last,
    link_at,
)
from nagomi_tui.view.pane.lines import link_shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.text.selection import Grid
    from nagomi_tui.view.pane.pane import TerminalPane


class CopyCursor:
    """The cursor's cell, the selection that ends there, and the link under it."""

    def __init__(self, pane: TerminalPane, on_moved: Callable[[], object]) -> None:
        self.pane = pane
        self.place = Place.of(At(0, 0))
        self.anchor: At | None = None
        self.shape = Shape.TEXT
        self.link: Hyperlink | None = None
        self._on_moved = on_moved

    def begin(self) -> None:
        """Start where the session's own cursor is, or at the end of what is shown."""
        buffer = self.pane.buffer
        x, y = (
            (buffer.cursor.x, buffer.cursor.y) if buffer.cursor.visible else (0, buffer.height - 1)
        )
        line = min(buffer.top_line + y, buffer.scroll.last_line)
        self.place = Place.of(At(line, buffer.scroll.left + x))
        self.pane.reader.read(lambda grid: landed(grid, line, self.place.wish), self.go)

    @property
    def window(self) -> Window:
        """Which lines are shown."""
        buffer = self.pane.buffer
        return Window(buffer.top_line, max(1, buffer.height), max(1, buffer.session_size[0]))

    @property
    def selection(self) -> Selection | None:
        """The selected cells, or None."""
        if self.anchor is None:
            return None
        return Selection(self.anchor, self.place.at, self.shape)

    # --- moving

    def move(self, motion: str, times: int) -> None:
        """Move as a motion says."""
        free = self.anchor is not None and self.shape is Shape.BLOCK

        def work(grid: Grid) -> Place:
            return move(grid, self.place, motion, self.window, times=times, free=free)

        self.pane.reader.read(work, self.go)

    def go(self, place: Place) -> None:
        """Move to a cell, and scroll it into view."""
        pane = self.pane
        if not pane.is_attached:
            return
        self.place = place
        pane.scroll_to_line(top_for(place.at.line, self.window))
        left, width = pane.buffer.left_column, pane.buffer.width
        if not left <= place.at.column < left + width:
            pane.scroll_to_column(max(0, place.at.column - width // 2))
        self._on_moved()
        pane.reader.read(self._link_here, self._underline)

    def keep_up(self) -> None:
        """Go to the first line that is left, where the history has dropped the cursor's."""
        first = self.pane.buffer.scroll.first_line
        if self.anchor is not None and self.anchor.line < first:
            self.anchor = At(first, 0)
        if self.place.at.line < first:
            self.go(Place.of(At(first, 0)))

    def renumbered(self, by: int, kept: tuple[At, ...]) -> None:
        """The session was reflowed: its lines have other numbers now, and other cells.

        The cursor stays with its text, and so does what is selected; `kept` are its ends.
        """
        self.link = None
        follows = self.anchor is not None and len(kept) == 2 and self.shape is not Shape.BLOCK
        self.anchor = kept[0] if follows else None
        if kept:
            self.go(Place.of(kept[-1]))
            return
        reader, top, at = self.pane.reader, self.pane.buffer.top_line, self.place.at
        try:
            far = distance(reader, top - by, at, reader.width)
        except Absent:
            far = Distance(max(0, at.line + by - top), at.column)

        def work(grid: Grid) -> Place:
            found = reached(grid, top, far, self.window.width)
            return landed(grid, found.line, found.column)

        reader.read(work, self.go)

    def _link_here(self, grid: Grid) -> Hyperlink | None:
        at = self.place.at
        return link_shown(self.pane.buffer, at) or link_at(grid, at)

    def _underline(self, link: Hyperlink | None) -> None:
        if link != self.link:
            self.link = link
            self._on_moved()

    # --- selecting

    def select(self, shape: Shape) -> None:
        """Select from here on; the same shape again ends that, another one changes it."""
        if self.anchor is not None and self.shape is shape:
            self.anchor = None
        else:
            self.anchor = self.place.at if self.anchor is None else self.anchor
            self.shape = shape
        self._on_moved()

    def drop(self) -> None:
        """Select nothing."""
        self.anchor = None
        self._on_moved()

    def swap(self) -> None:
        """Go to the other end of what is selected."""
        if self.anchor is not None:
            self.anchor, at = self.place.at, self.anchor
            self.go(Place.of(at))

    def copy(self, then: Callable[[str], object]) -> None:
        """Read the selection, or else the cursor's line; `then` gets the text."""
        selection, at = self.selection, self.place.at

        def text(grid: Grid) -> str:
            if selection is not None:
                return copied(grid, selection)
            first, last = line_first(grid, at.line), line_last(grid, at.line)
            return copied(grid, Selection(At(first, 0), At(last, END)))

        self.pane.reader.read(text, then)

    def word(self, then: Callable[[str], object]) -> None:
        """Read the word under the cursor; `then` gets the text."""
        at = self.place.at

        def text(grid: Grid) -> str:
            return copied(grid, Selection(*word_around(grid, at))).strip()

        self.pane.reader.read(text, then)
