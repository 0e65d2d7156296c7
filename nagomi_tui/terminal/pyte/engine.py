"""The fallback terminal engine, on pyte, with a rough and fast reading of a long backlog.

pyte draws one or two megabytes a second. A replay after a crash can be eight, of which only the
end is still on the screen.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import metadata
from typing import Any, Final

import msgspec
from pyte import modes as pyte_modes
from wcwidth import iter_graphemes, wcswidth

from nagomi_tui.terminal import osc, repaint
from nagomi_tui.terminal.engine import (
    BACKGROUND,
    FOREGROUND,
    HISTORY_LINES,
    ORIGIN,
    Engine,
    EngineError,
)
from nagomi_tui.terminal.pyte.child import Child, State, Stream, is_dark
from nagomi_tui.terminal.pyte.screen import PyteScreen
from nagomi_tui.text.rows import BLANK, PLAIN, Cursor, Modes, Row, Run
from nagomi_tui.text.sgr import sgr

_SWITCH: Final = re.compile(r"(\x1b\[(?:\?[0-9;]+[hl]|[<=>][0-9;]*u|[0-9;]*r))")
"""Sequences whose effect lasts: private modes, kitty's key flags, the scroll region."""
_NOISE: Final = re.compile(
    r"\x1b\[[<-?]?[0-9:;]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x18\x1a\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_NARROW: Final = r"[ -~\xa1-\xac\xae-\u02ff]"
_WIDE: Final = r"[\u3001-\u3029\u3041-\u3096\u30a1-\u30fc\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]"
_SIMPLE: Final = rf"(?={_NARROW}|{_WIDE}|\Z)"
"""What does not join the character before it."""
_PIECE: Final = re.compile(
    rf"(?P<narrow>{_NARROW}+){_SIMPLE}|(?P<wide>{_WIDE}+){_SIMPLE}|(?P<cluster>.)"
)
_LONGEST: Final = 64 * 1024
"""Bytes without the end of a line that are kept to be drawn later."""


class Skim:
    """A stretch of output that is processed roughly; what follows it is drawn as usual."""

    def __init__(self, grid: PyteScreen, stream: Stream) -> None:
        self._grid = grid
        self._stream = stream
        self._cut = b""

    def feed(self, data: bytes) -> None:
        data = self._cut + data
        end = data.rfind(b"\n") + 1 or (len(data) if len(data) > _LONGEST else 0)
        self._cut = data[end:]
        pieces = _SWITCH.split(data[:end].decode("utf-8", "replace"))
        for number, piece in enumerate(pieces):
            if number % 2:
                self._stream.feed(piece.encode())
            elif not self._grid.alternate:
                self._keep(_NOISE.sub("", piece))

    def rest(self) -> bytes:
        """Return, once, the unfinished line at the end."""
        rest, self._cut = self._cut, b""
        return rest

    def _keep(self, text: str) -> None:
        if "\n" not in text and not text.strip():
            return
        self._scroll_out()
        for line in text.removesuffix("\n").split("\n"):
            for row in _rows(
                line.rstrip("\r").rpartition("\r")[2].expandtabs(), self._grid.columns
            ):
                self._grid.history.push(row)

    def _scroll_out(self) -> None:
        """Move what the screen shows to the history: what comes now is younger."""
        grid = self._grid
        shown = [row for row in range(grid.lines) if grid.row(row) != BLANK]
        if shown:
            lines = "\n" * (shown[-1] + 1)
            self._stream.feed(f"\x18\x1b[m\x1b[r\x1b[{grid.lines}H{lines}\x1b[H".encode())


def _rows(line: str, columns: int) -> Iterator[Row]:
    """Cut a line into rows of at most `columns` cells."""
    runs: list[Run] = []
    left = columns
    for text, unit in _units(line):
        while text:
            size = abs(unit)
            if left < size and runs:
                yield Row(tuple(runs), wrapped=True)
                runs, left = [], columns
            fits = max(1, left // size) if unit > 0 else len(text)
            run = Run(text[:fits], PLAIN, unit)
            runs.append(run)
            left -= run.cells
            text = text[fits:]
    yield Row(tuple(runs)) if runs else BLANK


def _units(line: str) -> Iterator[tuple[str, int]]:
    """Return the line's pieces and what a character of each takes; see `Run.unit`."""
    if line.isascii():
        yield line, 1
        return
    at = 0
    while found := _PIECE.match(line, at):
        text = found[0]
        at = found.end()
        if found.lastgroup == "cluster":
            text = next(iter_graphemes(line[found.start() : found.start() + 64]))
            at = found.start() + len(text)
            if (width := wcswidth(text)) > 0:
                yield text, width if len(text) == 1 else -min(width, 2)
        else:
            yield text, 1 if found.lastgroup == "narrow" else 2


_MOUSE: Final = (1003, 1002, 1000, 9)


class _Saved(msgspec.Struct, frozen=True, array_like=True):
    """A snapshot: what paints everything again, and what cannot be painted."""

    painted: bytes
    pending: bytes
    cols: int
    rows: int
    first_line: int
    scanner: osc.Scanner
    foreground: int
    background: int
    private: tuple[int, ...]
    kitty: tuple[int, ...]
    column: int
    """The cursor's column; one past the last where the next character wraps."""


class PyteEngine(Engine):
    """One session's terminal on pyte; see `Engine` for the verbs."""

    def __init__(self, cols: int, rows: int, *, history: int = HISTORY_LINES) -> None:
        self.version = f"pyte-{metadata.version('pyte')}"
        self.cols, self.rows = cols, rows
        self.keeps_history = True
        self._grid = PyteScreen(cols, rows, history)
        self._child = Child(self._grid)
        self._stream = Stream(self._child)
        self._skim = Skim(self._grid, self._stream)
        self._scanner = osc.Scanner()
        self._shown: list[Row] = []
        self.set_colors(FOREGROUND, BACKGROUND)

    @classmethod
    def restore(cls, data: bytes, *, history: int = HISTORY_LINES) -> PyteEngine:
        """Return an engine as it was when `snapshot` returned `data`."""
        try:
            saved = msgspec.msgpack.decode(zlib.decompress(data), type=_Saved)
        except (zlib.error, msgspec.DecodeError) as exc:
            raise EngineError(f"this is not a snapshot of a terminal: {exc}") from exc
        engine = cls(saved.cols, saved.rows, history=history)
        engine._grid.history.next = saved.first_line
        engine._stream.feed(saved.painted)
        engine._child.state.private = set(saved.private)
        engine._child.state.kitty = list(saved.kitty)
        engine._grid.cursor.x = saved.column
        engine._stream.feed(saved.pending)
        engine._child.state.replies.clear()
        engine._scanner = saved.scanner
        engine.set_colors(saved.foreground, saved.background)
        return engine

    @classmethod
    def like(cls, other: Engine, *, history: int = HISTORY_LINES) -> PyteEngine:
        """Return an engine that shows what another kind of engine shows; see `repaint`."""
        engine = cls(other.cols, other.rows, history=history)
        rows, painted = repaint.whole(other)
        engine._grid.history.next = other.screen_line - len(rows)
        for row in rows:
            engine._grid.history.push(row)
        engine._stream.feed(painted)
        engine._scanner.feed(painted)
        engine._scanner.status = other.status
        engine._child.state.replies.clear()
        return engine

    def feed(self, data: bytes) -> None:
        self._scan(osc.plain_enough(data))

    @property
    def _beside(self) -> State:
        return self._child.state

    def _draw(self, data: bytes) -> None:
        # The fallback must go on whatever a sequence does to pyte; the rest is fed again.
        with suppress(Exception):
            self._stream.feed(self._skim.rest() + data)

    def skim(self, data: bytes) -> None:
        """Take in output roughly: its text without colours as history, and its modes."""
        self._scanner.feed(data)
        with suppress(Exception):
            self._skim.feed(data)

    def lines_until_forgotten(self) -> int | None:
        """Return None: `skim` leaves out what can be left out here."""
        return None

    def skip(self, data: bytes, lines: int) -> None:
        """Take it in, as it cannot be left out."""
        self.feed(data)

    def resize(self, cols: int, rows: int) -> None:
        """Change the size in cells; nothing is reflowed."""
        if (cols, rows) == (self.cols, self.rows):
            return
        self.cols, self.rows = cols, rows
        self._grid.change_size(cols, rows)

    def screen(self) -> Sequence[Row]:
        """Return the rows of the active screen; unchanged rows are the same objects."""
        if len(self._shown) != self.rows:
            self._shown = [BLANK] * self.rows
            self._grid.dirty.update(range(self.rows))
        if self._grid.dirty:
            shown = self._shown.copy()
            for y in self._grid.dirty:
                if y < self.rows and (row := self._grid.row(y)) != shown[y]:
                    shown[y] = row
            self._grid.dirty.clear()
            self._shown = shown
        return self._shown

    def lines(self, start: int, stop: int, *, plain: bool = False) -> list[Row]:
        """Return lines by number; those not kept are left out."""
        top = self.screen_line
        start, stop = max(start, self.first_line), min(stop, top + self.rows)
        found = self._grid.history.read(start, min(stop, top)) if start < top else []
        if stop > top:
            found += self.screen()[max(0, start - top) : stop - top]
        return found

    @property
    def first_line(self) -> int:
        history = self._grid.history
        return history.next if self._grid.alternate else history.first

    @property
    def screen_line(self) -> int:
        return self._grid.history.next

    @property
    def cursor(self) -> Cursor:
        return self._cursor(self._grid.cursor)

    @property
    def modes(self) -> Modes:
        """What the child has asked of its terminal."""
        private, kitty = self._child.state.private, self._child.state.kitty
        return Modes(
            alt_screen=self._grid.alternate,
            app_cursor=1 in private,
            app_keypad=66 in private,
            bracketed_paste=2004 in private,
            focus_events=1004 in private,
            mouse=next((mode for mode in _MOUSE if mode in private), 0),
            mouse_sgr=1006 in private,
            alternate_scroll=1007 in private,
            kitty_flags=kitty[-1] if kitty else 0,
            modify_other_keys=self._scanner.modify_other_keys,
            synchronized=2026 in private,
        )

    def is_on(self, mode: int) -> bool:
        in_region = mode == ORIGIN and pyte_modes.DECOM in self._grid.mode
        return in_region or mode in self._child.state.private

    def set_colors(self, foreground: int, background: int) -> bytes:
        """Set what OSC 10 and 11 answer; return the report of another colour scheme, if wanted."""
        state = self._child.state
        was_dark, dark = is_dark(state.background), is_dark(background)
        state.foreground, state.background = foreground, background
        return osc.scheme_report(dark) if dark != was_dark and 2031 in state.private else b""

    def capture(self, *, history: bool = True) -> Callable[[], bytes]:
        """Return what makes a snapshot of this moment, in any thread."""
        state, kept = self._child.state, self._grid.history
        first = kept.first if history else kept.next
        saved = _Saved(
            self._painted(first),
            self._stream.pending(),
            self.cols,
            self.rows,
            first,
            self._scanner,
            state.foreground,
            state.background,
            tuple(state.private),
            tuple(state.kitty),
            self._grid.cursor.x,
        )
        return partial(zlib.compress, msgspec.msgpack.encode(saved), 1)

    def compact(self, *, at_hand: bool = False) -> None:
        """Do nothing: the history is packed as it comes."""

    def close(self) -> None:
        """Do nothing: there is no native memory."""

    def _painted(self, first: int) -> bytes:
        """Return the text that paints history from `first` and both screens, region and pen."""
        grid = self._grid
        history = grid.history.read(first, grid.history.next)
        shown = list(self.screen())
        if grid.alternate:
            behind = self._cursor(grid.behind_cursor())
            text = repaint.document(
                history + grid.behind_rows(), shown, self.cursor, self.modes, "", behind
            )
        else:
            text = repaint.document(history + shown, None, self.cursor, self.modes, "")
        return text + self._region().encode()

    def _region(self) -> str:
        """Return what sets the kept cursor, the pen, the scroll region and the cursor again."""
        grid = self._grid
        kept = ""
        for point in grid.savepoints[-1:]:
            x, y = min(point.cursor.x, self.cols - 1) + 1, point.cursor.y + 1
            kept = f"{_pen(point.cursor.attrs.fg)}\x1b[{y};{x}H\x1b7"
        region = "\x1b[{};{}r".format(*(edge + 1 for edge in grid.margins)) if grid.margins else ""
        x, y = self.cursor.x + 1, self.cursor.y + 1
        return f"{kept}{_pen(grid.style)}{region}\x1b[{y};{x}H"

    def _cursor(self, cursor: Any) -> Cursor:
        return Cursor(
            min(cursor.x, self.cols - 1), cursor.y, not cursor.hidden, self._child.state.shape
        )


def _pen(style: Any) -> str:
    return sgr(style) + f"\x1b]8;;{style.link}\x1b\\"
