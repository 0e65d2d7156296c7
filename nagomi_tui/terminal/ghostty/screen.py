"""The visible rows of a native terminal, read out through its render state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.core.text.screen import BLANK, Cursor, Row
from nagomi_tui.terminal.ghostty.looks import RowLooks
from nagomi_tui.terminal.ghostty.native import ROW_SPECIAL, ROW_WRAP
from nagomi_tui.terminal.ghostty.rows import read_row

if TYPE_CHECKING:
    from nagomi_tui.terminal.ghostty.native import Native

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
