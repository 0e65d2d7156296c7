"""Line numbers that stay with their lines, and the reading of history.

The library numbers rows from the oldest one it holds, and drops whole pages at the head. A
tracked reference on the last row of history moves with that row, so that comparing its place
before and after tells how much was dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nagomi_tui.terminal.ghostty.native import Questions
from nagomi_tui.terminal.ghostty.screen import ScreenReader

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import Row
    from nagomi_tui.terminal.ghostty.native import Native


class LineCounter:
    """The number of the oldest native row, kept up to date after every feed."""

    def __init__(self, native: Native, terminal: Any, history: int) -> None:
        self._native, self._terminal, self._history = native, terminal, history
        ffi, lib = native.ffi, native.lib
        self.base = 0
        self.kept = 0
        """Native rows above the screen."""
        self.short = False
        """Rows were dropped although fewer than the wanted history are kept."""
        self.cols = 0
        """The terminal's columns; a child can change them (DECCOLM)."""
        self._behind = 0
        """Number of the first line that is kept, since lines before it were left out."""
        self._place = 0
        """Where the tracked row was, from the oldest native row."""
        self._tracked: Any = None
        self._point = ffi.new("GhosttyPointCoordinate *")
        self._where = ffi.new("NagomiPoint *")
        self._where.tag = lib.GHOSTTY_POINT_TAG_SCREEN
        self._rows = ffi.new("size_t *")
        self._screen = ffi.new("int *")
        self._cols = ffi.new("uint16_t *")
        self._questions = Questions(
            native,
            terminal,
            [
                (lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN, self._screen),
                (lib.GHOSTTY_TERMINAL_DATA_SCROLLBACK_ROWS, self._rows),
                (lib.GHOSTTY_TERMINAL_DATA_COLS, self._cols),
            ],
        )

    @property
    def screen_line(self) -> int:
        """Number of the primary screen's top row."""
        return self.base + self.kept

    @property
    def first_line(self) -> int:
        """Number of the oldest row that is shown (N-36)."""
        oldest = self.screen_line - min(self.kept, self._history)
        return min(self.screen_line, max(oldest, self._behind))

    def skip(self, lines: int, rows: int) -> None:
        """Count lines that would have scrolled; so many rows of the screen were printed before."""
        self.base += lines
        self._behind = self.screen_line + rows

    def sync(self, renumbered: bool = False) -> None:
        """Look what was added and dropped; `renumbered` after a reflow, which moves every row."""
        lib = self._native.lib
        self._questions.ask()
        renumbered = renumbered or self._cols[0] != self.cols
        self.cols = self._cols[0]
        if renumbered:
            self._behind = 0
        if self._screen[0] == lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE:
            return
        kept = self._rows[0]
        dropped = 0 if self._tracked is None or renumbered else self._dropped(kept)
        self.base += dropped
        self.short = 0 < kept < self._history and dropped > 0
        self.kept = kept
        self._track()

    def adopt(self, base: int, kept: int) -> None:
        """Number the lines as a snapshot says; on the alternate screen its count stands."""
        self.base, self.kept = base, kept
        self.sync(renumbered=True)
        self.base = base + kept - self.kept

    def close(self) -> None:
        """Free the native handle."""
        if self._tracked is not None:
            self._native.lib.ghostty_tracked_grid_ref_free(self._tracked[0])

    def _dropped(self, kept: int) -> int:
        """Return how many rows left at the head since the last look."""
        lib = self._native.lib
        tracked = self._tracked[0]
        gone = not lib.ghostty_tracked_grid_ref_has_value(tracked)
        if gone or lib.ghostty_tracked_grid_ref_point(
            tracked, lib.GHOSTTY_POINT_TAG_SCREEN, self._point
        ):
            return self._place + 1
        # A cleared history leaves the reference on the screen's top row.
        place = self._point.y if kept else -1
        return max(0, self._place - place)

    def _track(self) -> None:
        """Follow the last row of history, which no output can edit any more."""
        if not self.kept:
            self.close()
            self._tracked = None
            return
        native = self._native
        self._place = self.kept - 1
        self._where.value.y = self._place
        where = self._where[0]
        if self._tracked is not None:
            if not native.track_again(self._tracked[0], self._terminal, where):
                return
            self.close()
        self._tracked = native.ffi.new("GhosttyTrackedGridRef *")
        if native.track(self._terminal, where, self._tracked):
            self._tracked = None


class HistoryReader:
    """Reads rows above the screen through a render state of its own.

    The viewport is moved for it and put back, so the live screen must be up to date before.
    """

    def __init__(self, native: Native, terminal: Any, *, plain: bool = False) -> None:
        self._native, self._terminal = native, terminal
        self._plain = plain
        self._scroll = native.ffi.new("NagomiScroll *")
        self._reader: ScreenReader | None = None

    def read(self, start: int, stop: int) -> list[Row]:
        """Return the rows `start` to `stop`, counted from the oldest native row."""
        if self._reader is None:
            self._reader = ScreenReader(self._native, self._terminal, plain=self._plain)
        found: list[Row] = []
        try:
            while start + len(found) < stop:
                self._move(self._native.lib.GHOSTTY_SCROLL_VIEWPORT_ROW, start + len(found))
                self._reader.update()
                found += self._reader.rows
        finally:
            self._move(self._native.lib.GHOSTTY_SCROLL_VIEWPORT_BOTTOM, 0)
        return found[: stop - start]

    def close(self) -> None:
        """Free the native handles; another read makes new ones."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _move(self, tag: int, row: int) -> None:
        self._scroll.tag, self._scroll.value.row = tag, row
        self._native.scroll(self._terminal, self._scroll[0])
