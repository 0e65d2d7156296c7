"""pyte's screen with history, an alternate screen, clusters and exact colours.

Each cell's `fg` holds the whole `Style`, so that pyte moves styles about without knowing them.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict, deque
from typing import Any, Final

import msgspec
import pyte
from pyte import modes as pyte_modes
from pyte import screens as pyte_screens
from pyte.screens import Cursor, StaticDefaultDict
from wcwidth import wcwidth

from nagomi_tui.text.rows import BLANK, PLAIN, Row, Run, Style

_BLOCK: Final = 256
_encoder = msgspec.msgpack.Encoder()
_rows = msgspec.msgpack.Decoder(list[Row])


class RowStore:
    """The newest rows up to a limit, numbered from the first that was ever pushed."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._blocks: deque[bytes] = deque()
        self._open: list[Row] = []
        self._unpacked: tuple[bytes, list[Row]] = (b"", [])
        self.next = 0
        """Number of the row that is pushed next."""

    @property
    def first(self) -> int:
        return max(self.next - self._limit, self._base)

    @property
    def _base(self) -> int:
        return self.next - len(self._open) - len(self._blocks) * _BLOCK

    def push(self, row: Row) -> None:
        """Add a row; the oldest block goes when all its rows are past the limit."""
        self._open.append(row)
        self.next += 1
        if len(self._open) == _BLOCK:
            self._blocks.append(zlib.compress(_encoder.encode(self._open), 1))
            self._open = []
            if self._base + _BLOCK <= self.next - self._limit:
                self._blocks.popleft()

    def read(self, start: int, stop: int) -> list[Row]:
        """Return the rows by number; those not kept are left out."""
        found: list[Row] = []
        at, stop = max(start, self.first), min(stop, self.next)
        while at < stop:
            block, skip = divmod(at - self._base, _BLOCK)
            rows = self._block(block)
            piece = rows[skip : skip + stop - at]
            found += piece
            at += len(piece)
        return found

    def clear(self) -> None:
        """Forget all rows; numbers go on."""
        self._blocks.clear()
        self._open = []

    def _block(self, number: int) -> list[Row]:
        if number >= len(self._blocks):
            return self._open
        packed = self._blocks[number]
        if self._unpacked[0] is not packed:
            self._unpacked = (packed, _rows.decode(zlib.decompress(packed)))
        return self._unpacked[1]


_JOINER: Final = "\u200d"
_EMOJI_LOOK: Final = "\ufe0f"
_CLUSTER: Final = 64
_UNSEEN: Final = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What has no cell of its own, but may turn round or hide what stands in others."""

# pyte declares colours as strings; ours are styles.
Char: Any = pyte_screens.Char
_BLANK: Final[Any] = Char(" ", PLAIN)


class Line(StaticDefaultDict[int, Any]):
    """The cells of one row by column."""

    wrapped = 0
    """How many cells it had when it went on in the next row; 0 where it did not."""


def _new_line() -> Line:
    return Line(_BLANK)


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


class PyteScreen(pyte.Screen):
    """The grid of one session; rows that scroll off the primary screen go to `history`."""

    buffer: Any

    def __init__(self, columns: int, lines: int, history: int) -> None:
        self.history = RowStore(history)
        self.alternate = False
        self._behind: Any = None
        super().__init__(columns, lines)

    @property
    def default_char(self) -> Any:
        """A blank cell."""
        return _BLANK

    @property
    def style(self) -> Style:
        """The pen."""
        pen: Any = self.cursor.attrs
        style: Style = pen.fg
        return style

    @style.setter
    def style(self, style: Style) -> None:
        self.cursor.attrs = Char(" ", style)

    def reset(self) -> None:
        """Start anew; history stays."""
        super().reset()
        self.alternate = False
        self._behind = None
        self.cursor = Cursor(0, 0, _BLANK)
        self._new_buffer()

    def draw(self, data: str) -> None:
        """Draw characters, clusters as one cell or two."""
        data = data.translate(self.g1_charset if self.charset else self.g0_charset)
        if data.isascii() and pyte_modes.IRM not in self.mode:
            self._draw_narrow(data)
        else:
            for char in _UNSEEN.sub("", data):
                self._draw_one(char)
        self.dirty.add(self.cursor.y)

    def index(self) -> None:
        """Go down a row; at the bottom the top row goes to the history."""
        top, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom and top == 0 and not self.alternate:
            self.history.push(self.row(0))
        super().index()

    def save_cursor(self) -> None:
        """Keep cursor and pen; there is one place for them, as in xterm."""
        self.savepoints = []
        super().save_cursor()

    def restore_cursor(self) -> None:
        """Go back to what was kept, which stays kept."""
        kept = self.savepoints[-1:]
        super().restore_cursor()
        self.savepoints = kept

    def scroll(self, count: int) -> None:
        """Move the scroll region's rows up, or down where `count` is negative."""
        x, y = self.cursor.x, self.cursor.y
        top, bottom = self.margins or (0, self.lines - 1)
        self.cursor.y = bottom if count > 0 else top
        for _ in range(min(abs(count), self.lines)):
            (self.index if count > 0 else self.reverse_index)()
        self.cursor.x, self.cursor.y = x, y

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """Erase with the background colour and nothing else of the pen."""
        with _Eraser(self):
            super().erase_in_line(how)
        if how != 1:
            self.buffer[self.cursor.y].wrapped = 0

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        """Erase parts of the screen, or the history (3)."""
        if how == 3:
            self.history.clear()
            return
        with _Eraser(self):
            super().erase_in_display(how)

    def erase_characters(self, count: int | None = None) -> None:
        with _Eraser(self):
            super().erase_characters(count)

    def enter_alternate(self) -> None:
        """Show an empty screen and keep the primary one."""
        if self.alternate:
            return
        self._behind = (self.buffer, self.cursor, self.savepoints, self.margins)
        self.alternate = True
        self.savepoints = []
        self.cursor = Cursor(self.cursor.x, self.cursor.y, self.cursor.attrs)
        self.cursor.hidden = self._behind[1].hidden
        self.margins = None
        self._new_buffer()

    def leave_alternate(self) -> None:
        """Show the primary screen again, as it was; its cursor is put back by the caller."""
        if not self.alternate:
            return
        cursor = self.cursor
        self.buffer, self.cursor, self.savepoints, self.margins = self._behind
        self.cursor.hidden = cursor.hidden
        self._behind, self.alternate = None, False
        self.dirty.update(range(self.lines))

    def change_size(self, columns: int, lines: int) -> None:
        """Change the size; rows that no longer fit go to the history, nothing is reflowed."""
        if self._behind is not None:
            seen = (self.buffer, self.cursor, self.savepoints, self.margins)
            self.buffer, self.cursor = self._behind[:2]
            self._fit(columns, lines, keep=True)
            self._behind = (self.buffer, self.cursor, self._behind[2], None)
            self.buffer, self.cursor, self.savepoints, self.margins = seen
        self._fit(columns, lines, keep=not self.alternate)
        self.columns, self.lines = columns, lines
        self.margins = None
        self.tabstops = set(range(8, columns, 8))
        self.dirty.clear()
        self.dirty.update(range(lines))

    def behind_cursor(self) -> Any:
        """Return the primary screen's cursor while the alternate one is shown."""
        return self._behind[1] if self._behind is not None else None

    def behind_rows(self) -> list[Row]:
        """Return the primary screen's rows while the alternate one is shown."""
        shown, self.buffer = self.buffer, self._behind[0]
        rows = [self.row(y) for y in range(self.lines)]
        self.buffer = shown
        return rows

    def row(self, y: int) -> Row:
        """Return one row as runs."""
        line = self.buffer[y]
        if not line:
            return BLANK
        last = min(max(line), self.columns - 1)
        wrapped = 0 < line.wrapped <= last + 1
        return Row(tuple(_runs([line[x] for x in range(last + 1)], wrapped)), wrapped)

    def _draw_narrow(self, data: str) -> None:
        """Draw characters that each take one cell."""
        attrs = self.cursor.attrs
        at = 0
        while at < len(data):
            self._wrap(1)
            x = self.cursor.x
            piece = data[at : at + self.columns - x]
            line = self.buffer[self.cursor.y]
            self._split_wide(line, x)
            self._split_wide(line, x + len(piece))
            for char in piece:
                line[x] = Char(char, attrs.fg)
                x += 1
            self.cursor.x = x
            at += len(piece)

    def _draw_one(self, char: str) -> None:
        width = wcwidth(char)
        if width < 0 or self._joined(char, width):
            return
        if width == 0:
            return
        width = min(width, self.columns)
        self._wrap(width)
        if pyte_modes.IRM in self.mode:
            self.insert_characters(width)
        line, x = self.buffer[self.cursor.y], self.cursor.x
        self._split_wide(line, x)
        self._split_wide(line, x + width)
        line[x] = Char(char, self.style)
        if width == 2:
            line[x + 1] = Char("", self.style)
        self.cursor.x = x + width

    def _joined(self, char: str, width: int) -> bool:
        """Return whether the character became part of the one before it."""
        line, x = self.buffer[self.cursor.y], self.cursor.x - 1
        if x >= 0 and line[x].data == "":
            x -= 1
        if x < 0:
            return width == 0
        before = line[x].data
        joins = (
            width == 0
            or before.endswith(_JOINER)
            or ("\U0001f3fb" <= char <= "\U0001f3ff" and wcwidth(before[0]) == 2)
            or (_is_flag(char) and len(before) == 1 and _is_flag(before))
        )
        if not joins or len(before) >= _CLUSTER:
            return joins
        line[x] = line[x]._replace(data=before + char)
        widens = char == _EMOJI_LOOK or (_is_flag(char) and wcwidth(before[0]) == 1)
        if widens and x + 1 == self.cursor.x < self.columns and ord(before[0]) > 0x7F:
            line[x + 1] = Char("", line[x].fg)
            self.cursor.x += 1
        self.dirty.add(self.cursor.y)
        return True

    def _wrap(self, width: int) -> None:
        """Go on in the next row where the character does not fit into this one."""
        if self.cursor.x + width <= self.columns:
            return
        if pyte_modes.DECAWM in self.mode:
            self.dirty.add(self.cursor.y)
            self.buffer[self.cursor.y].wrapped = self.cursor.x
            self.cursor.x = 0
            self.index()
        else:
            self.cursor.x = self.columns - width

    def _split_wide(self, line: Any, x: int) -> None:
        """Blank both halves of a wide character whose right half is at `x`."""
        if x < self.columns and x in line and line[x].data == "" and x > 0:
            line[x - 1] = Char(" ", line[x - 1].fg)
            line[x] = Char(" ", line[x].fg)

    def _new_buffer(self) -> None:
        self.buffer = defaultdict(_new_line)
        self.dirty.update(range(self.lines))

    def _fit(self, columns: int, lines: int, *, keep: bool) -> None:
        """Move the rows up so that the cursor stays on the screen, and cut them to size.

        Of rows that are to be kept, none below the cursor is cut, nor one of a screen that is filled.
        """
        lowest = self.cursor.y
        if keep:
            lowest = max([lowest, *(y for y, line in self.buffer.items() if line)])
            lowest = self.lines - 1 if lowest == self.lines - 2 else lowest
        excess = max(0, lowest - lines + 1)
        old, self.buffer = self.buffer, defaultdict(_new_line)
        for y in sorted(old):
            line = old[y]
            if y < excess:
                self.buffer[y] = line
                continue
            for x in [x for x in line if x >= columns]:
                del line[x]
            if y - excess < lines:
                self.buffer[y] = line
        if keep:
            for y in range(excess):
                self.history.push(self.row(y))
        self.buffer = defaultdict(
            _new_line, {y - excess: line for y, line in self.buffer.items() if y >= excess}
        )
        self.cursor.y = max(0, self.cursor.y - excess)
        self.cursor.x = min(self.cursor.x, columns - 1)


class _Eraser:
    """While it is entered, the pen is only its background colour."""

    def __init__(self, screen: PyteScreen) -> None:
        self._screen = screen
        self._style = screen.style

    def __enter__(self) -> None:
        self._screen.style = Style(bg=self._style.bg) if self._style.bg != -1 else PLAIN

    def __exit__(self, *_: object) -> None:
        self._screen.style = self._style


def _runs(cells: list[Any], wrapped: bool) -> list[Run]:
    runs: list[Run] = []
    pieces: list[str] = []
    style, unit = PLAIN, 0
    for at, cell in enumerate(cells):
        if cell.data == "":
            continue
        wide = at + 1 < len(cells) and cells[at + 1].data == ""
        size = (2 if wide else 1) * (-1 if len(cell.data) > 1 else 1)
        if pieces and (cell.fg != style or size != unit or size < 0):
            runs.append(Run("".join(pieces), style, unit))
            pieces = []
        style, unit = cell.fg, size
        pieces.append(cell.data)
    if pieces:
        runs.append(Run("".join(pieces), style, unit))
    while runs and not wrapped and runs[-1].style == PLAIN and runs[-1].unit == 1:
        text = runs[-1].text.rstrip(" ")
        if text:
            runs[-1] = Run(text, PLAIN)
            break
        runs.pop()
    return runs
