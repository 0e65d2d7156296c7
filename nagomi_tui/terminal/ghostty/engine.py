"""The default terminal engine, on libghostty-vt."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from nagomi_tui.terminal import osc, repaint
from nagomi_tui.terminal.engine import (
    BACKGROUND,
    FOREGROUND,
    HISTORY_LINES,
    LEAST_COLUMNS,
    ORIGIN,
    Engine,
    EngineError,
)
from nagomi_tui.terminal.ghostty import snapshot as snapshots
from nagomi_tui.terminal.ghostty.corner import Corner, joiners
from nagomi_tui.terminal.ghostty.native import (
    BYTES_A_CELL,
    MOST_BYTES_A_CELL,
    SCHEMES,
    SYNCHRONIZED,
    Setup,
    load,
    new_terminal,
)
from nagomi_tui.terminal.ghostty.screen import HistoryReader, LineCounter, ModeReader, ScreenReader
from nagomi_tui.text.rows import Cursor, Modes, Row

_SGR: Final = re.compile(rb"\x1b\[[0-9;:]*m|\x1b(?:\[[0-9;:]*)?\Z")
_REST: Final = re.compile(rb"\[?[0-9;:]*[mK]")
_NEAR: Final = 4096
_RESETS: Final = (b"\x1b[0m", b"\x1b[m")


def last(data: bytes) -> bytes:
    """Return the sequences since the last reset, also one that the next text ends."""
    if b"\x1b" not in data:
        return b""
    # The last reset is nearly always near.
    near = max(data.rfind(reset, -_NEAR) for reset in _RESETS)
    start = near if near >= 0 else max(0, *(data.rfind(reset) for reset in _RESETS))
    return b"".join(_SGR.findall(data, start))


def rest(data: bytes) -> bytes:
    """Return the end of a sequence that the text before has begun."""
    found = _REST.match(data)
    return found[0] if found else b""


_SLICE: Final = 4096
_LARGE_SLICE: Final = 16 * 1024
"""Bytes fed between two looks at the history's head where they may scroll by more lines than half
of the history holds: not all of them are to leave unseen."""
_CLEAR: Final = b"\x1b[2J\x1b[H"
_MARGIN_ROWS: Final = 2
"""Rows at the bottom of which one holds text, or the cursor, on a screen that is filled."""
_CUTS: Final = re.compile(rb"\x1b\[\?(?:(1049|1047|47)h|(?:[0-9;]*;)?3(?:;[0-9;]*)?[hl])")


def _cut(data: bytes) -> int:
    """Return where to stop and look before going on: nowhere is 0.

    That is before a switch to the alternate screen, behind which the history cannot be counted;
    and after one to 80 or 132 columns (DECCOLM), before anything is drawn at such a width.
    """
    # One byte that is rare is found in a fraction of the time that three take.
    if b"\x1b" not in data or b"?" not in data or b"\x1b[?" not in data:
        return 0
    for found in _CUTS.finditer(data):
        if found[1] is None:
            return found.end()
        if found.start():
            return found.start()
    return 0


def _whole(data: bytes, end: int) -> int:
    """Return `end`, or a little less where it would cut a character in two."""
    if end >= len(data):
        return len(data)
    for less in range(4):
        if data[end - less] & 0xC0 != 0x80:
            return end - less
    return end


class GhosttyEngine(Engine):
    """One session's terminal on the native library; see `Engine` for the verbs."""

    def __init__(
        self,
        cols: int,
        rows: int,
        *,
        history: int = HISTORY_LINES,
        terminal: Any = None,
        scanner: osc.Scanner | None = None,
        cell_bytes: int = BYTES_A_CELL,
    ) -> None:
        native = self._native = load()
        self.version = native.version
        self.cols, self.rows = cols, rows = max(cols, LEAST_COLUMNS), rows
        self.keeps_history = True
        self._colors = (FOREGROUND, BACKGROUND)
        self._terminal = terminal or new_terminal(native, cols, rows)
        self._write = native.lib.ghostty_terminal_vt_write
        self._setup = Setup(native, self._terminal, history, cell_bytes)
        self._setup.colors(*self._colors)
        self._setup.resize(cols, rows)
        self._history_lines = history
        self._slice = max(_SLICE, min(history, _LARGE_SLICE))
        self._scanner = scanner or osc.Scanner()
        self._screen = ScreenReader(native, self._terminal)
        self._modes = ModeReader(native, self._terminal)
        self._counter = LineCounter(native, self._terminal, history)
        self._history = HistoryReader(native, self._terminal)
        self._texts = HistoryReader(native, self._terminal, plain=True)
        self._corner = Corner(native, self._terminal, self._setup.replies)
        self._fresh = False
        self._known_modes: Modes | None = None
        self._counter.sync()

    @classmethod
    def restore(cls, data: bytes, *, history: int = HISTORY_LINES) -> GhosttyEngine:
        """Return an engine as it was when `snapshot` returned `data`."""
        saved = snapshots.unpack(data)
        engine = cls._revived(saved, history, saved.cell_bytes)
        if engine._counter.kept < saved.kept and not saved.light:
            # Pages that are read back can be larger than they were; give them room.
            engine.close()
            engine = cls._revived(saved, history, MOST_BYTES_A_CELL)
        return engine

    @classmethod
    def _revived(cls, saved: snapshots.Saved, history: int, cell_bytes: int) -> GhosttyEngine:
        terminal = None
        if saved.native:
            terminal = snapshots.decode(load(), saved.native, history=not saved.light)
        engine = cls(
            saved.cols,
            saved.rows,
            history=history,
            terminal=terminal,
            scanner=saved.scanner,
            cell_bytes=cell_bytes,
        )
        engine.set_colors(saved.foreground, saved.background)
        engine._write(engine._terminal, saved.painted, len(saved.painted))
        engine._setup.mode(SYNCHRONIZED, saved.synchronized)
        base, kept = saved.base, saved.kept
        if saved.light and saved.native:
            kept = snapshots.rows_behind(load(), saved.native)
            base = saved.base + saved.kept - kept
        engine._counter.adopt(base, kept)
        return engine

    def feed(self, data: bytes) -> None:
        data = osc.plain_enough(data)
        start = 0
        scrolled = data.count(b"\n") + len(data) // self.cols
        step = len(data) if 2 * scrolled < self._history_lines else self._slice
        while start < len(data):
            end = _whole(data, start + step)
            piece = data[start:end] if start or end < len(data) else data
            start = end
            self._scan(piece)
        self._forget()

    @property
    def _beside(self) -> Setup:
        return self._setup

    def _draw(self, piece: bytes) -> None:
        while (cut := _cut(piece)) > 0:
            if self._feed(piece[:cut]):
                # Going back to our width may have moved the cleared screen's first row.
                self._feed(_CLEAR)
            piece = piece[cut:]
        self._feed(piece)

    def skim(self, data: bytes) -> None:
        """Take it in as ever: that is quick enough."""
        self.feed(data)

    def lines_until_forgotten(self) -> int | None:
        """Return after how many lines nothing of what is printed now is kept, if that is sure.

        Rows that are on the screen already, below the cursor too, must have scrolled away with it.
        """
        if self.modes.alt_screen or not self._corner.scrolls(self.rows):
            return None
        return self._history_lines + 2 * self.rows

    def skip(self, data: bytes, lines: int) -> None:
        """Take in the colours alone, and count the lines."""
        at_ground, row = self._corner.look()
        begun = b"" if at_ground else rest(data)
        self.feed(begun + last(data[len(begun) :]))
        self._counter.skip(max(0, lines - (self.rows - 1 - row)), row + 1)

    def resize(self, cols: int, rows: int) -> None:
        """Change the size in cells; wrapped lines are reflowed.

        A screen that is filled keeps its last row at the bottom: rows go to the history or come
        back from it, so that a program which then draws its last rows again doubles none of them.
        """
        cols = max(cols, LEAST_COLUMNS)
        if (cols, rows) == (self.cols, self.rows):
            return
        said = len(self._setup.replies)
        if rows != self.rows and self._is_filled():
            self._resize_rows(rows)
        if (cols, rows) != (self.cols, self.rows):
            del self._setup.replies[said:]  # the size in between is nobody's
            self._resize(cols, rows)

    def _resize(self, cols: int, rows: int) -> None:
        self.cols, self.rows = cols, rows
        self._setup.resize(cols, rows)
        self._counter.sync(renumbered=True)
        self._forget()

    def _is_filled(self) -> bool:
        """Return whether the screen is filled to its last row or, as below what agents draw, the one above.

        Not where the cursor cannot be moved and put back.
        """
        moves = self._corner.may_move() and not self._setup.is_on(ORIGIN)
        if self.modes.alt_screen or not moves:
            return False
        last = self.rows - _MARGIN_ROWS
        return self.cursor.y >= last or any(row.text.strip() for row in self.screen()[last:])

    def _resize_rows(self, rows: int) -> None:
        """Change the rows alone; the library holds on to the bottom only if the cursor stands there."""
        top, cursor = self.screen_line, self.cursor
        self._move(self.rows - 1, cursor.x)
        self._resize(self.cols, rows)
        self._move(min(rows - 1, max(0, cursor.y + top - self.screen_line)), cursor.x)
        self._forget()

    def _move(self, y: int, x: int) -> None:
        move = b"\x1b[%d;%dH" % (y + 1, x + 1)
        self._write(self._terminal, move, len(move))

    def screen(self) -> Sequence[Row]:
        self._refresh()
        return self._screen.rows

    def lines(self, start: int, stop: int, *, plain: bool = False) -> list[Row]:
        """Return lines by number; those not kept are left out."""
        self._catch_up()
        first, top = self.first_line, self.screen_line
        start, stop = max(start, first), min(stop, top + self.rows)
        found: list[Row] = []
        if start < min(stop, top):
            base = self._counter.base
            reader = self._texts if plain else self._history
            found = reader.read(start - base, min(stop, top) - base)
        if stop > top:
            self._screen.read()
            found += self._screen.rows[max(0, start - top) : stop - top]
        return found

    @property
    def first_line(self) -> int:
        alternate = self.modes.alt_screen
        return self._counter.screen_line if alternate else self._counter.first_line

    @property
    def screen_line(self) -> int:
        return self._counter.screen_line

    @property
    def cursor(self) -> Cursor:
        self._refresh()
        return self._screen.cursor

    @property
    def modes(self) -> Modes:
        """What the child has asked of its terminal."""
        if self._known_modes is None:
            self._known_modes = self._modes.read(self._scanner.modify_other_keys)
        return self._known_modes

    def is_on(self, mode: int) -> bool:
        return self._setup.is_on(mode)

    def set_colors(self, foreground: int, background: int) -> bytes:
        """Set what OSC 10 and 11 answer; return the report of another colour scheme, if wanted."""
        self._colors, was_dark = (foreground, background), self._setup.dark
        self._setup.colors(foreground, background)
        dark = self._setup.dark
        return osc.scheme_report(dark) if dark != was_dark and self._setup.is_on(SCHEMES) else b""

    def capture(self, *, history: bool = True) -> Callable[[], bytes]:
        """Return what makes a snapshot of this moment, in any thread."""
        native, painted = b"", b""
        try:
            native = snapshots.encode(self._native, self._terminal, history=history)
        except EngineError:
            # A reflow without autowrap, for one, leaves cells that the library will not write.
            painted = self._painted(history=history)
        return snapshots.packer(
            snapshots.Saved(
                native,
                painted,
                self.cols,
                self.rows,
                self._counter.base,
                self._counter.kept,
                self._setup.cell_bytes,
                self._scanner,
                *self._colors,
                self.modes.synchronized,
                not history,
            )
        )

    def compact(self, *, at_hand: bool = False) -> None:
        """Compress the history in memory; it is unpacked page by page when it is read.

        What read it and the screen keeps copies, which are a third of the rest: these go too. That
        of the screen stays `at_hand`, since to make another one takes 2 ms.
        """
        if not at_hand:
            if self._fresh:
                self._screen.read()
            self._screen.close()
        self._history.close()
        self._texts.close()
        lib = self._native.lib
        done = self._native.ffi.new("GhosttyTerminalCompressionResult *")
        lib.ghostty_terminal_compress(
            self._terminal, lib.GHOSTTY_TERMINAL_COMPRESSION_MODE_FULL, done
        )

    def close(self) -> None:
        """Free the native terminal; closing twice does nothing."""
        if self._terminal is None:
            return
        self._history.close()
        self._texts.close()
        self._counter.close()
        self._screen.close()
        self._native.lib.ghostty_terminal_free(self._terminal)
        self._terminal = None

    def _painted(self, *, history: bool) -> bytes:
        """Return the text of what is shown and kept; behind an editor that is its screen only."""
        alternate = list(self.screen()) if self.modes.alt_screen else None
        first = self.first_line if history else self.screen_line
        rows = [] if alternate else self.lines(first, self.screen_line + self.rows)
        return repaint.document(rows, alternate, self.cursor, self.modes, "")

    def _feed(self, piece: bytes) -> bool:
        """Feed a piece; tell whether it had changed the columns."""
        self._put(piece)
        self._counter.sync()
        changed = self._counter.cols != self.cols
        if changed:
            # DECCOLM widened or narrowed the grid; the size is the view's, not the child's.
            self._setup.resize(self.cols, self.rows)
            self._counter.sync(renumbered=True)
        if self._counter.short:
            self._setup.grow()
        return changed

    def _put(self, piece: bytes) -> None:
        """Write to the native terminal, but for what would crash it."""
        start = 0
        risky = () if self._corner.is_safe(piece, self.rows) else joiners(piece)
        for begin, end in risky:
            self._write(self._terminal, piece[start:begin], begin - start)
            start = end if self._corner.is_dangerous(self.rows) else begin
        piece = piece[start:] if start else piece
        self._write(self._terminal, piece, len(piece))

    def _forget(self) -> None:
        """What was read out is no longer so."""
        self._fresh = False
        self._known_modes = None

    def _catch_up(self) -> None:
        """Copy what changed since the last look: reading history loses track of it."""
        if not self._fresh:
            self._screen.catch_up()
            self._fresh = True

    def _refresh(self) -> None:
        """Read out what changed since the last look, once for any number of questions."""
        self._catch_up()
        self._screen.read()
