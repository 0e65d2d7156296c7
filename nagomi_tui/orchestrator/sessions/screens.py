"""A session's terminal, with the crash marker set while its code runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from nagomi_tui.orchestrator.runtime.crash_marker import FEED, OTHER, RESTORE, CrashMarker
from nagomi_tui.terminal.choose import open_engine, restore_engine, rewritten_engine
from nagomi_tui.terminal.engine import HISTORY_LINES, Engine, EngineError
from nagomi_tui.terminal.osc import DISARM_LATE, KEEPS_CURSOR, LEAVE, below
from nagomi_tui.text.rows import Cursor, Modes, Row, ScreenEvent
from nagomi_tui.text.sgr import ansi_row

_LEFT: Final = (5, 6, 69, 2031, 2048)
"""Modes that a program may leave, beside those that `Modes` tells: how is drawn, and reports."""
FALLBACK: Final = "pyte"


def load_engines() -> None:
    """Load every engine now, since an upgrade replaces the files of a running program."""
    for name in ("ghostty", FALLBACK):
        open_engine(2, 1, prefer=name, history=0).close()


class Screen:
    """Feeds and reads an engine; a crash inside leaves the session's id in the crash marker.

    One thread at a time uses the engine: while its state is copied in another thread, calls
    wait for some milliseconds.
    """

    def __init__(self, engine: Engine, session_id: str, marker: CrashMarker) -> None:
        self._engine = engine
        self._id = _marked_id(session_id)
        self._marker = marker
        # Python code is slow but comes back, so it is not timed from outside.
        self._feeding = OTHER if engine.version.startswith(FALLBACK) else FEED
        self._lock = threading.Lock()
        self._closed = False
        self.layout = 0
        """Another number after each resize, which may renumber lines."""
        self.is_stored = False
        """Whether it shows stored lines of a session that has ended, in place of its output."""
        self.unpacked_at: float | None = None
        """When history was read that `compact` had packed, by the monotonic clock; it stays unpacked."""

    @property
    def version(self) -> str:
        """Name and version of the engine."""
        return self._engine.version

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._engine.cols, self._engine.rows

    @property
    def cols(self) -> int:
        return self._engine.cols

    @property
    def bounds(self) -> tuple[int, int, int]:
        """Numbers of the oldest line, the screen's top row, and its last row."""
        with self._lock:
            top = self._engine.screen_line
            return self._engine.first_line, top, top + self._engine.rows - 1

    @property
    def first_line(self) -> int:
        """Number of the oldest line kept."""
        with self._lock:
            return self._engine.first_line

    @property
    def screen_line(self) -> int:
        """Number of the screen's top row."""
        with self._lock:
            return self._engine.screen_line

    @property
    def history(self) -> int:
        """Lines above the screen; the most there can be while the alternate screen is shown."""
        with self._lock:
            if self._engine.modes.alt_screen:
                return HISTORY_LINES
            return self._engine.screen_line - self._engine.first_line

    @property
    def cursor(self) -> Cursor:
        """Where the cursor stands on the screen."""
        with self._lock:
            return self._engine.cursor

    @property
    def modes(self) -> Modes:
        """What the child has asked of its terminal."""
        with self._lock:
            return self._engine.modes

    @property
    def title(self) -> str:
        """The title that the child set."""
        return self._engine.title

    @property
    def status(self) -> str:
        """The status that the child has set (OSC 7501)."""
        return self._engine.status

    def feed(self, data: bytes, *, old: bool = False) -> tuple[bytes, list[ScreenEvent]]:
        """Take in what was printed; return the answers to queries, and what was said beside.

        `old` says that it will have scrolled by before anybody looks.
        """
        with self._marked(self._feeding) as engine:
            (engine.skim if old else engine.feed)(data)
            return engine.take_replies(), engine.take_events()

    def lines_until_forgotten(self) -> int | None:
        """Return after how many lines nothing is left of what is printed now; None if unknown."""
        with self._lock:
            return self._engine.lines_until_forgotten()

    def skip(self, data: bytes, lines: int) -> None:
        """Leave out text with so many LF, behind which more lines come than `lines_until_forgotten` says."""
        with self._marked(self._feeding) as engine:
            engine.skip(data, lines)

    def resize(self, cols: int, rows: int) -> bytes:
        """Change the size in cells; return the report that the child may have asked for (2048)."""
        with self._marked(self._feeding) as engine:
            engine.resize(cols, rows)
            report = engine.take_replies()
        self.layout += 1
        return report

    def screen(self) -> Sequence[Row]:
        """Return the screen; unchanged rows are the same objects as before."""
        with self._marked(OTHER) as engine:
            return engine.screen()

    def lines(self, start: int, stop: int, *, plain: bool = False) -> list[Row]:
        """Return lines by number; `plain` where nobody will look at their styles."""
        with self._marked(OTHER) as engine:
            found = engine.lines(start, stop, plain=plain)
            if start < engine.screen_line:
                self.unpacked_at = time.monotonic()
            return found

    def snapshot(self, *, history: bool) -> bytes:
        """Return the engine's state; without history it is quick.

        Raises:
            EngineError: it cannot be written at this point of the stream.
        """
        with self._marked(OTHER) as engine:
            return engine.snapshot(history=history)

    def capture(self) -> Callable[[], bytes]:
        """Return what makes the snapshot with history; both may be called in another thread.

        Raises:
            EngineError: it cannot be written at this point of the stream.
        """
        with self._lock:
            if self._closed:
                raise EngineError("the terminal was closed meanwhile")
            self._marker.enter_aside(self._id)
            try:
                return self._engine.capture()
            finally:
                self._marker.leave_aside()

    def end_left_modes(self) -> bool:
        """End what a killed program left; tell whether there was something.

        A shell reads its line already. The rows that it has drawn on the screen of the program are
        taken along to its own.
        """
        with self._marked(self._feeding) as engine:
            modes, cursor = engine.modes, engine.cursor
            armed = modes.mouse or modes.focus_events or modes.kitty_flags
            armed = armed or modes.alt_screen or modes.modify_other_keys or not cursor.visible
            if not armed and not any(map(engine.is_on, _LEFT)):
                return False
            data = b"\x1b[?6l\x1b[%d;%dH" % (cursor.y + 1, cursor.x + 1) + DISARM_LATE
            if modes.alt_screen:
                rows = list(engine.screen())[: cursor.y + 1]
                first = cursor.y
                while first > 0 and rows[first - 1].wrapped:
                    first -= 1
                drawn = "".join(ansi_row(row) for row in rows[first:])
                lost = not engine.is_on(KEEPS_CURSOR)
                engine.feed(data + LEAVE)
                data = below(engine.screen()) if lost else b""
                data += f"\r{drawn}\x1b[m\x1b[{cursor.x + 1}G".encode()
            engine.feed(data)
            return True

    def leave_alternate(self) -> None:
        """Go back to what stands behind the alternate screen, since its program is gone."""
        self.feed(LEAVE)

    def keep_history(self, keeps: bool) -> None:
        """Have what scrolled away outlive `CSI 3 J`, or not."""
        with self._lock:
            self._engine.keeps_history = keeps

    def set_colors(self, foreground: int, background: int) -> bytes:
        """Set the terminal's colours; return what a child that asked for it is told of the change."""
        with self._lock:
            return self._engine.set_colors(foreground, background)

    def compact(self, *, at_hand: bool) -> None:
        """Release memory, as `Engine.compact` does."""
        with self._marked(OTHER) as engine:
            engine.compact(at_hand=at_hand)
            self.unpacked_at = None

    def close(self) -> None:
        """Free the engine."""
        with self._lock:
            self._closed = True
            self._engine.close()

    @contextmanager
    def _marked(self, phase: bytes) -> Iterator[Engine]:
        """Use the engine alone, with its session in the crash marker."""
        with self._lock:
            self._marker.enter(self._id, phase)
            try:
                yield self._engine
            finally:
                self._marker.leave()


class ScreenMaker:
    """Makes screens with the engine and history length of the settings, and the last known colours."""

    def __init__(self, marker: CrashMarker) -> None:
        self._marker = marker
        self.engine = "ghostty"
        self.history = 20_000
        self.keeps_history = True
        """Whether what has scrolled away outlives `CSI 3 J`."""
        self.colors: tuple[int, int] | None = None

    def new(self, session_id: str, cols: int, rows: int, *, engine: str = "") -> Screen:
        """Return an empty screen."""
        made = open_engine(cols, rows, prefer=engine or self.engine, history=self.history)
        return self._colored(Screen(made, session_id, self._marker))

    def restored(
        self, session_id: str, *, version: str, data: bytes, size: tuple[int, int], as_pyte: bool
    ) -> Screen:
        """Return the screen that a snapshot holds, if wanted `as_pyte` shows that of another engine.

        Raises:
            EngineError: the snapshot cannot be read.
        """
        make = rewritten_engine if as_pyte else restore_engine
        self._marker.enter(_marked_id(session_id), RESTORE)
        try:
            engine = make(version, data, *size, history=self.history)
        finally:
            self._marker.leave()
        return self._colored(Screen(engine, session_id, self._marker))

    def _colored(self, screen: Screen) -> Screen:
        screen.keep_history(self.keeps_history)
        if self.colors:
            screen.set_colors(*self.colors)
        return screen


def _marked_id(session_id: str) -> bytes:
    """Return an id as the crash marker holds it."""
    return session_id.encode("ascii", "replace")[:36].ljust(36)


COLS_LIMIT: Final = 1000
ROWS_LIMIT: Final = 500
