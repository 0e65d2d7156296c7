"""Reads a native terminal: visible rows, numbered history, modes.

The library numbers rows from the oldest one it holds, and drops whole pages at the head. A
tracked reference on the last row of history moves with that row, so that comparing its place
before and after tells how much was dropped.
"""

from __future__ import annotations

from typing import Any, Final

from nagomi_tui.terminal.ghostty.native import ROW_SPECIAL, ROW_WRAP, Native, Questions
from nagomi_tui.terminal.ghostty.rows import RowLooks, read_row
from nagomi_tui.text.rows import BLANK, Cursor, Modes, Row

_CLEAN: Final = 0
_FULL: Final = 2
_SHAPES: Final = {1: 2, 2: 4, 0: 6}
"""The steady DECSCUSR shape for block, underline and bar; the hollow block is our default."""


class ScreenReader:
    """Keeps the rows of one render state; rows that did not change stay the same objects.

    Output that scrolls marks every row as changed, so a row is looked up by the identity that
    the library gives it: a moved row of plain cells is recognised by its bytes, any other by
    being equal to what was read before. A `plain` reader leaves the styles of narrow text out.
    """

    def __init__(self, native: Native, terminal: Any, *, plain: bool = False) -> None:
        self._native, self._terminal = native, terminal
        self._plain = plain
        ffi, lib = native.ffi, native.lib
        self._dirty = ffi.new("int *")
        self._y = ffi.new("uint16_t *")
        self._native_cursor = native.sized("GhosttyRenderStateCursor")
        self._raw = ffi.new("uint64_t *")
        self._id = ffi.new("GhosttyRenderStateRowId *")
        self._cells = ffi.new("GhosttyCellsView *")
        self._keys = ffi.new(
            "GhosttyRenderStateRowData[]",
            [
                lib.GHOSTTY_RENDER_STATE_ROW_DATA_RAW,
                lib.GHOSTTY_RENDER_STATE_ROW_DATA_ID,
                lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW,
                lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS,
            ],
        )
        self._written = ffi.new("size_t *")
        self._id_bytes = ffi.buffer(self._id)
        self.rows: list[Row] = []
        self.cursor = Cursor()
        self._behind = False
        """`rows` are not yet what was caught up with."""
        self._known: list[tuple[bytes, bytes, Row]] = []
        self._looks: RowLooks | None = None
        self._open()

    def update(self) -> None:
        """Bring `rows` and `cursor` up to date with the terminal."""
        self.catch_up()
        self.read()

    def catch_up(self) -> None:
        """Copy what the terminal shows now, natively; `read` makes rows of it later."""
        if self._looks is None:
            self._open()
        self._native.lib.ghostty_render_state_update(self._state[0], self._terminal)
        self._behind = True

    def read(self) -> None:
        """Make rows of what was copied since the last time."""
        if not self._behind:
            return
        self._behind = False
        lib = self._native.lib
        state = self._state[0]
        self.cursor = self._read_cursor()
        lib.ghostty_render_state_get(state, lib.GHOSTTY_RENDER_STATE_DATA_DIRTY, self._dirty)
        if self._dirty[0] == _CLEAN:
            return
        lib.ghostty_render_state_get(state, lib.GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR, self._rows)
        if self._dirty[0] == _FULL:
            self._read_all()
        else:
            self._read_changed()
        lib.ghostty_render_state_clean(state)

    def close(self) -> None:
        """Free the native handles; `rows` stay, and catching up makes new ones."""
        if self._looks is None:
            return
        lib = self._native.lib
        self._looks.close()
        self._looks = None
        lib.ghostty_render_state_row_iterator_free(self._rows[0])
        lib.ghostty_render_state_free(self._state[0])

    def _open(self) -> None:
        ffi, lib = self._native.ffi, self._native.lib
        self._state = ffi.new("GhosttyRenderState *")
        self._rows = ffi.new("GhosttyRenderStateRowIterator *")
        if lib.ghostty_render_state_new(
            ffi.NULL, self._state
        ) or lib.ghostty_render_state_row_iterator_new(ffi.NULL, self._rows):
            raise MemoryError("libghostty-vt has no memory for a screen")
        looks = self._looks = RowLooks(self._native, self._terminal)
        self._values = ffi.new("void *[]", [self._raw, self._id, self._cells, looks.holder])

    def _read_cursor(self) -> Cursor:
        lib = self._native.lib
        found = self._native_cursor
        lib.ghostty_render_state_get(self._state[0], lib.GHOSTTY_RENDER_STATE_DATA_CURSOR, found)
        steady = _SHAPES.get(found.visual_style, 0)
        shape = steady - 1 if steady and found.blinking else steady
        x = max(0, found.viewport_x - 1) if found.wide_tail else found.viewport_x
        return Cursor(x, found.viewport_y, bool(found.visible), shape)

    def _read_all(self) -> None:
        lib = self._native.lib
        iterator = self._rows[0]
        before = {known[0]: known for known in self._known}
        self._known = []
        while lib.ghostty_render_state_row_iterator_next(iterator):
            self._known.append(self._read(iterator, len(self._known), before))
        self.rows = [known[2] for known in self._known]

    def _read_changed(self) -> None:
        lib = self._native.lib
        iterator = self._rows[0]
        rows = self.rows.copy()
        while lib.ghostty_render_state_row_iterator_next_dirty(iterator, self._y):
            y = self._y[0]
            old = self._known[y]
            self._known[y] = self._read(iterator, y, {old[0]: old})
            rows[y] = self._known[y][2]
        self.rows = rows

    def _read(
        self, iterator: Any, y: int, before: dict[bytes, tuple[bytes, bytes, Row]]
    ) -> tuple[bytes, bytes, Row]:
        """Return identity, packed cells (where they tell all) and value of the current row."""
        self._native.lib.ghostty_render_state_row_get_multi(
            iterator, 4, self._keys, self._values, self._written
        )
        raw = self._raw[0]
        wrapped = bool(raw & ROW_WRAP)
        cells = self._native.ffi.buffer(self._cells.ptr, self._cells.len * 8)[:]
        identity = self._id_bytes[:]
        old = before.get(identity)
        plain = not raw & ROW_SPECIAL
        if old is not None and plain and old[1] == cells and old[2].wrapped == wrapped:
            return old
        looks = self._looks
        assert looks is not None
        looks.y = y
        row = read_row(cells, wrapped, looks, plain=self._plain) if self._cells.len else BLANK
        if old is not None and old[2] == row:
            row = old[2]
        return identity, cells if plain else b"", row


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


_MODES: Final = (1, 66, 2004, 1004, 9, 1000, 1002, 1003, 1006, 1007, 1016, 2026)
_MOUSE: Final = (1003, 1002, 1000, 9)


class ModeReader:
    """Holds the buffers that the library writes modes, active screen and kitty flags into."""

    def __init__(self, native: Native, terminal: Any) -> None:
        ffi, lib = native.ffi, native.lib
        self._native = native
        self._values = ffi.new("GhosttyTerminalModeConfig[]", len(_MODES))
        for value, mode in zip(self._values, _MODES, strict=True):
            value.mode = mode
        self._bytes = ffi.buffer(self._values)
        self._screen = ffi.new("int *")
        self._kitty = ffi.new("uint8_t *")
        modes = range(len(_MODES))
        self._questions = Questions(
            native,
            terminal,
            [
                *[(lib.GHOSTTY_TERMINAL_DATA_MODE, self._values + at) for at in modes],
                (lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN, self._screen),
                (lib.GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS, self._kitty),
            ],
        )
        self._found: tuple[bytes, int, int, int] | None = None
        self._modes = Modes()
        """What was found last time, which is mostly what is found this time."""

    def read(self, modify_other_keys: int) -> Modes:
        """Return the modes; the library does not tell modifyOtherKeys."""
        self._questions.ask()
        found = (self._bytes[:], self._screen[0], self._kitty[0], modify_other_keys)
        if found != self._found:
            self._found, self._modes = found, self._interpreted(modify_other_keys)
        return self._modes

    def _interpreted(self, modify_other_keys: int) -> Modes:
        lib = self._native.lib
        on = {value.mode for value in self._values if value.value}
        return Modes(
            alt_screen=self._screen[0] == lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE,
            app_cursor=1 in on,
            app_keypad=66 in on,
            bracketed_paste=2004 in on,
            focus_events=1004 in on,
            mouse=next((mode for mode in _MOUSE if mode in on), 0),
            mouse_sgr=1006 in on,
            alternate_scroll=1007 in on,
            kitty_flags=self._kitty[0],
            modify_other_keys=modify_other_keys,
            synchronized=2026 in on,
            mouse_pixels=1016 in on,
        )
