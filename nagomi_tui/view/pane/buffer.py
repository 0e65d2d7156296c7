"""The rows of a session that one pane shows, and which of them the terminal already has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import is_not
from typing import Final, NamedTuple

from nagomi_tui.api.messages import Frame, View
from nagomi_tui.text.rows import CUT, Cursor, Modes, Row, Run, Style
from nagomi_tui.text.selection import At, Look, Marks
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.pane.layers import EchoLayer, EchoScreen, MarkLayer
from nagomi_tui.view.pane.rows import AnsiStrip, PaintRow, blank_row
from nagomi_tui.view.pane.viewport import Scroll, Viewport


class CellRect(NamedTuple):
    """A part of the terminal, in cells from the top left."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class TerminalCopy:
    """The rows of a pane as the terminal has them. Everything here is done under `link.lock`."""

    def __init__(self) -> None:
        self.lies_at: CellRect | None = None
        """Where the pane lies, covered or not; None while it is not wholly on the terminal."""
        self.exposed_at: CellRect | None = None
        """Where the frame writer may write it: nothing lies over it; None leaves it to Textual."""
        self._shown: list[PaintRow | None] = []
        """What the terminal shows there; None where that is not known."""
        self._due: set[int] = set()
        """Rows that may differ from what the terminal shows."""
        self._handed: list[PaintRow] | None = None
        """The rows that Textual took for the frame that it is making."""

    def forget(self, height: int) -> None:
        """Assume nothing of what the terminal shows, in a pane of `height` rows."""
        self._shown = [None] * height
        self._due = set(range(height))
        self._handed = None

    def mark(self, lines: Iterable[int]) -> None:
        """Note that these rows may differ from what the terminal shows."""
        self._due.update(lines)

    def hand_over(self, rows: list[PaintRow]) -> None:
        """Remember the rows that Textual takes for the frame that it is making."""
        self._handed = rows

    # --- for the frame writer

    def move(self, rect: CellRect | None) -> bool:
        """Note where the pane lies on the terminal; return whether it has moved."""
        before, self.lies_at = self.lies_at, rect
        return before != rect

    def expose(self, rect: CellRect, *, moved: bool) -> None:
        """Write the rows there from now on."""
        if self.exposed_at == rect:
            return
        self.exposed_at = rect
        # Textual draws the whole of a pane that has moved. Where only a cover has gone, it has
        # drawn no more than what was covered.
        height = len(self._shown)
        self._shown = list(self._handed) if moved and self._handed is not None else [None] * height
        self._due = set(range(height))

    def leave(self, rows: list[PaintRow]) -> set[int] | None:
        """Leave the rows to Textual; return those that it took before they changed.

        None if Textual had them already.
        """
        if self.exposed_at is None:
            return None
        self.exposed_at = None
        handed = self._handed
        return {y for y, row in enumerate(rows) if handed is None or handed[y] is not row}

    def repair(self) -> None:
        """Find rows that Textual's frame may have drawn otherwise than they were written."""
        handed, self._handed = self._handed, None
        if handed is None or self.exposed_at is None:
            return
        for y, row in enumerate(handed):
            if self._shown[y] is not row:
                self._shown[y] = None
                self._due.add(y)

    def take_due(self) -> list[int]:
        """Return, once, the rows that may differ from what the terminal shows, in order."""
        due, self._due = self._due, set()
        return sorted(due)

    def replace(self, y: int, row: PaintRow) -> PaintRow | None:
        """Note what a row shows from now on; return what it showed, or None if not known."""
        before, self._shown[y] = self._shown[y], row
        return before


_NO_SCREEN: Final = -1
"""Columns of no screen: by them, no line and no cell is taken for one."""


class PaneBuffer:
    """The rows of one view. What several threads use is guarded by `link.lock`."""

    def __init__(self, link: Link, viewport: Viewport, on_told: Callable[[], object]) -> None:
        self.view = 0
        self.session = ""
        self.width = 0
        self.height = 0
        self.viewport = viewport
        """Which part of the session is to be shown."""
        self.plain: list[PaintRow] = []
        """The rows as they were sent."""
        self.rows: list[PaintRow] = []
        """The rows as they are shown, with the marks laid over them."""
        self.marks: Marks | None = None
        self.watched_lines: dict[int, Row] = {}
        """Watched lines by number, as they were; `on_spoiled` is called when one has changed."""
        self._watched_width = 0
        """Columns of the pane when they were watched first."""
        self.on_spoiled: Callable[[], object] = lambda: None
        self.on_renumbered: Callable[[Mapping[At, At]], object] = lambda _moved: None
        """Called when the session was reflowed, with cells as they were before and where their text is
        now; `followed` is to be called behind it."""
        self._renumbered: dict[At, At] | None = None
        """Where cells are now that are kept as they were before a reflow."""
        self._untold = False
        """Whether `on_renumbered` is about to be called."""
        self._awaited = False
        """Whether an answer has told of a reflow whose frame has not come yet."""
        self.arrivals = 0
        """Number of frames applied; lines that were read before the last one may have changed."""
        self.cursor = Cursor(visible=False)
        """Where it is shown."""
        self.modes = Modes()
        self.scroll = Scroll()
        self.session_size = (0, 0)
        """Columns and rows of the session's own screen."""
        self.terminal = TerminalCopy()
        self._stale: set[int] = set()
        """Rows that Textual has not been told of."""
        self._link = link
        self._on_told = on_told
        self._notified = False
        self._layer = MarkLayer()
        self._echo = EchoLayer()
        self._sent_cursor = self.cursor
        """Where the program has left it."""
        self._strips: list[tuple[PaintRow, int, AnsiStrip] | None] = []

    # --- what is wanted

    def wanted(self) -> View | None:
        """Return the view to ask the orchestrator for, or None while there is nothing to show."""
        if not self.session or self.width <= 0 or self.height <= 0:
            return None
        with self._link.lock:
            return View(
                view=self.view,
                session=self.session,
                cols=self.width,
                rows=self.height,
                line=self.viewport.line,
                left=self.viewport.left,
                own_size=self.viewport.sets_size,
                fps=self.viewport.fps,
                kept=self.viewport.kept,
                # Cells of the moment still have their old numbers; the right ones follow.
                screen_cols=_NO_SCREEN if self.is_renumbering else self.session_size[0],
            )

    def begin(self, view: int, session: str) -> None:
        """Show another session, from an empty pane, under a new number."""
        with self._link.lock:
            self.view = view
            self.session = session
            self.cursor = self._sent_cursor = Cursor(visible=False)
            self._echo.forget()
            self.modes = Modes()
            self.scroll = Scroll()
            self.viewport.begin()
            self.session_size = (0, 0)
            self._awaited = False
            self.marks = None
            self._layer.lay(None, {})
            self.watched_lines = {}
            self._blank()

    def resize(self, width: int, height: int) -> None:
        """Change the size; the rows stay until the orchestrator sends them anew."""
        with self._link.lock:
            self.width, self.height = width, height
            self._echo.forget()
            self.terminal.exposed_at = None  # until Textual has drawn it in its new size
            kept = self.plain[:height]
            self._blank()
            self.plain[: len(kept)] = [PaintRow(row.row, width) for row in kept]
            self._lay()

    def _blank(self) -> None:
        self.plain = [blank_row(self.width)] * self.height
        self.rows = list(self.plain)
        self._layer.forget()
        self._strips = [None] * self.height
        self._stale = set(range(self.height))
        self.terminal.forget(self.height)

    # --- frames, in the IO thread

    def take(self, frame: Frame) -> bool:
        """Apply a frame; return False if it is of a session that was here before."""
        if frame.session != self.session:
            return False
        with self._link.lock:
            rows = [(y, self._row(runs, frame)) for y, runs in frame.rows if y < self.height]
            if frame.full:
                self.plain = [blank_row(self.width)] * self.height
                self._mark(range(self.height))
            for y, row in rows:
                self.plain[y] = row
            self._mark([y for y, _ in rows])
            self._sent_cursor = frame.cursor
            before = (self.modes, self.lines_below)
            reflowed = self.session_size[0] not in (0, frame.cols)
            self.modes = frame.modes
            self.scroll = Scroll(
                frame.line, frame.first_line, frame.last_line, frame.left, frame.top
            )
            self.session_size = (frame.cols, frame.screen_rows)
            if reflowed:
                self.watched_lines = {}
            self.arrivals += 1
            self._echo.saw(self._screen)
            self._lay()
            changed = before != (self.modes, self.lines_below)
            if reflowed or frame.kept or self._awaited:
                self._renumber(frame)
        self._look_for_changes(rows)
        if changed:
            self.tell()
        return True

    @property
    def is_renumbering(self) -> bool:
        """Whether lines have other numbers by now than those who keep cells know."""
        return self._awaited or self._renumbered is not None

    @property
    def is_behind(self) -> bool:
        """Whether `on_renumbered` has not heard of all that is known, so that lines cannot be read."""
        return self._awaited or self._untold

    def answered(self, cols: int) -> bool:
        """Return whether an answer from a screen of so many columns (0: not told) can be used.

        If not, the session was reflowed meanwhile, and `on_renumbered` is about to be called.
        """
        with self._link.lock:
            if not self._untold and cols not in (0, self.session_size[0]):
                self._awaited = True
            return not self.is_behind

    def followed(self, moved: Mapping[At, At]) -> bool:
        """Return whether all have their cells where they are now: not if these have moved again."""
        with self._link.lock:
            if self._untold or self._renumbered is not moved:
                return False
            self._renumbered = None
            return True

    def _renumber(self, frame: Frame) -> None:
        """Tell that lines have other numbers, those kept or else the first one wanted among them."""
        first, by = self.viewport.line, self.viewport.renumber(frame.line)
        moved = {
            At(*old): At(*now) for old, now in zip(frame.kept_before, frame.kept, strict=False)
        }
        if not moved and first is not None:
            moved = {At(first, 0): At(first + by, 0)}
        self._awaited = False
        if self._renumbered is None:
            self._renumbered = moved
        else:  # several may come before all have followed the first one
            self._renumbered = {old: moved.get(now, now) for old, now in self._renumbered.items()}
        if not self._untold:
            self._untold = True
            self._link.post(self._tell_renumbered)

    def _tell_renumbered(self) -> None:
        with self._link.lock:
            moved, self._untold = self._renumbered, False
        if moved is not None:
            self.on_renumbered(moved)

    def _mark(self, lines: range | list[int]) -> None:
        self._stale.update(lines)
        self.terminal.mark(lines)

    def _row(self, runs: tuple[tuple[str, int, int], ...], frame: Frame) -> PaintRow:
        styles = frame.styles
        return PaintRow(
            Row(tuple(Run(text, styles[style], unit) for text, style, unit in runs)), self.width
        )

    def watch(self, lines: range) -> None:
        """Have `on_spoiled` called, once, when the text of these lines changes."""
        with self._link.lock:  # rows and their numbers change together
            top = self.scroll.line
            self._watched_width = self.width
            self.watched_lines = {
                top + y: row.row for y, row in enumerate(self.plain) if top + y in lines
            }

    def _look_for_changes(self, rows: list[tuple[int, PaintRow]]) -> None:
        """Tell once when a watched line holds something else than it did."""
        if not self.watched_lines:
            return
        for y, row in rows:
            before = self.watched_lines.get(self.scroll.line + y)
            if before is not None and not self._is_same(before.text, row.row.text):
                self.watched_lines = {}
                self._link.post(self.on_spoiled)
                return

    def _is_same(self, before: str, now: str) -> bool:
        """Return whether a line is as before; in a pane of another width it is only cut elsewhere."""
        if self.width == self._watched_width:
            return before == now
        one, other = before.removesuffix(CUT).rstrip(), now.removesuffix(CUT).rstrip()
        return one.startswith(other) or other.startswith(one)

    def tell(self) -> None:
        """Have Textual show what changed: by one call, however much changes until then."""
        if not self._notified:
            self._notified = True
            self._link.post(self._tell_now)

    def _tell_now(self) -> None:
        self._notified = False
        self._on_told()

    @property
    def ends_low(self) -> bool:
        """Whether the last text stands in the lower half."""
        return any(row.row.text.strip() for row in self.rows[self.height // 2 :])

    # --- predicted echo, in the IO thread

    @property
    def follows_from_the_left(self) -> bool:
        """Whether it shows the end of its session, from the beginning of its lines on."""
        return self.scroll.left == 0 and self.viewport.at_tail

    def typed(self, key: str) -> bool:
        """Show what the session will most likely show of a key; return whether that changes rows.

        The key is a character, `ERASE` or `OTHER` of `core.text.predicted_echo`.
        """
        return self._guess(lambda: self._echo.typed(key, self._screen))

    def look_for_echo(self) -> bool:
        """Give up guesses that should have come true; return whether that changes rows."""
        return self._guess(self._echo.look)

    def forget_echo(self) -> bool:
        """Show nothing that the session has not drawn; return whether that changes rows."""
        if self.echo_wait is None:
            self._echo.forget()
            return False
        return self._guess(self._echo.forget)

    @property
    def echo_wait(self) -> float | None:
        """Seconds until `look_for_echo` is to be called; None while nothing is guessed."""
        return self._echo.wait

    @property
    def _screen(self) -> EchoScreen:
        return EchoScreen(self.plain, self._sent_cursor, self.scroll.line, self.session_size[0])

    def _guess(self, change: Callable[[], object]) -> bool:
        with self._link.lock:
            before = self.rows, self.cursor
            change()
            self._lay()
            return before[1] != self.cursor or any(map(is_not, before[0], self.rows))

    # --- marks

    def lay(self, marks: Marks | None, looks: Mapping[Look, Style], *, watch_on: bool) -> None:
        """Lay other marks over the lines, from now on wherever the lines are shown.

        What is watched goes on being watched with `watch_on` only.
        """
        with self._link.lock:
            if not watch_on:
                self.watched_lines = {}
            self.marks = marks
            self._layer.lay(marks, looks)
            self._lay()

    def _lay(self) -> None:
        """Bring the shown rows up to date; a row that looks as before stays the same object."""
        shown = self._layer.rows(self.plain, self.scroll.line, self.scroll.left)
        shown, self.cursor = self._echo.lay(shown, self._sent_cursor, self.scroll.line)
        self._mark([y for y, row in enumerate(shown) if self.rows[y] is not row])
        self.rows = shown

    # --- for Textual, on its loop

    def take_stale(self) -> list[int]:
        """Return, once, the rows that Textual has not been told of, in order."""
        with self._link.lock:
            stale, self._stale = self._stale, set()
            return sorted(stale)

    def leave_to_textual(self) -> None:
        """Let Textual draw the pane, and tell it of rows that it took before they changed."""
        stale = self.terminal.leave(self.rows)
        if stale is not None:
            self._stale = stale
        if stale:
            self.tell()

    def strips(self, left: int) -> list[AnsiStrip]:
        """Return a strip for each row, for a pane whose first column is `left` on screen."""
        with self._link.lock:
            rows = list(self.rows)
            self.terminal.hand_over(rows)
        return [self._strip(y, row, left) for y, row in enumerate(rows)]

    def _strip(self, y: int, row: PaintRow, left: int) -> AnsiStrip:
        kept = self._strips[y]
        if kept is not None and kept[0] is row and kept[1] == left:
            return kept[2]
        strip = AnsiStrip(row, left)
        self._strips[y] = (row, left, strip)
        return strip

    @property
    def lines_below(self) -> int:
        return max(0, self.scroll.last_line - (self.scroll.line + self.height - 1))

    @property
    def new_lines(self) -> int:
        """How many of the lines below came since the tail is not followed."""
        if self.viewport.line is None:
            return 0
        return min(self.lines_below, max(0, self.scroll.last_line - self.viewport.left_tail_at))

    @property
    def top_line(self) -> int:
        """Number of the first line to be shown; its frame may be on its way."""
        line = self.viewport.line
        return self.scroll.line if line is None else line

    @property
    def left_column(self) -> int:
        left = self.viewport.left
        return self.scroll.left if left is None else left

    def scroll_to(self, line: int) -> bool:
        """Fix the first line shown; return whether that is another one than before.

        At the end of the session its tail is followed again, unless the view is held.
        """
        return self.viewport.scroll_to(line, self.scroll, self.height)
