"""Writes the frames of panes that nothing covers straight to the terminal.

Textual draws everything else, and the panes that something covers. Both write under one lock,
whole frames at a time, and each of Textual's frames is followed, in the same write, by what the
IO thread had painted newer than the rows that Textual took for it.
"""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, NamedTuple

from textual.app import App
from textual.geometry import Region
from textual.widget import Widget

from nagomi_tui.api.messages import Taken
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.link import FrameSink, Link
from nagomi_tui.view.driver.terminal_writer import FramePace, LinkBudget, TerminalWriter
from nagomi_tui.view.pane.buffer import CellRect, PaneBuffer
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.pane.rows import changed, span

_HIDE: Final = "\x1b[?25l"
_SHOW: Final = "\x1b[?25h"
_ECHO_SECONDS: Final = 0.25
_LOOK_AGAIN_SECONDS: Final = 0.25


@dataclass(eq=False)
class FrameWriter:
    """Paints in the IO thread at the end of each turn, and on Textual's loop after its frames."""

    link: Link
    terminal: TerminalWriter
    _: KW_ONLY
    truecolor: bool = True
    pace: FramePace | None = None

    def __post_init__(self) -> None:
        self.enabled = True
        """False leaves all drawing to Textual (the setting `painter = textual`)."""
        self.synchronized = False
        """The terminal knows synchronized updates (mode 2026)."""
        self.frames = 0
        """Frames painted so far."""
        self.modes_changed = False
        """Since this was last set to False, the pane with the keys has got a frame, or is another one."""
        self._pending: set[PaneBuffer] = set()
        self._acks: list[Taken] = []
        self._placed: dict[PaneBuffer, Placement] = {}
        self._session = ""
        self._cursor: tuple[int, int] | None = None
        self._cursor_due = False
        """It is to be placed as soon as the terminal has taken everything."""
        self._shape = 0
        self._links = LinkBudget()
        self._typed_at = 0.0

    # --- the IO thread

    def typed(self) -> None:
        """The session with the keys was typed into: its echo goes before everything else."""
        self._typed_at = time.monotonic()

    def answered(self) -> float | None:
        """The terminal has shown a frame; return the seconds that took, or None if not asked for."""
        return self.pace.answered(time.monotonic()) if self.pace else None

    def changed(self, sink: FrameSink, frame: int) -> bool:
        """Note that a pane is to be painted; return False if Textual must do that."""
        if not isinstance(sink, PaneBuffer):
            return False
        with self.link.lock:
            has_keys = sink.session == self._session
            self.modes_changed = self.modes_changed or has_keys
            if sink.terminal.exposed_at is None:
                if has_keys:
                    self._pending.add(sink)  # its cursor is ours to place all the same
                return False
            self._pending.add(sink)
            self._acks.append(Taken(view=sink.view, frame=frame))
        return True

    def repaint(self, sink: FrameSink) -> bool:
        """Paint a pane whose marks have changed; return False if Textual must do that."""
        if not isinstance(sink, PaneBuffer):
            return False
        with self.link.lock:
            if sink.terminal.exposed_at is None:
                return False
            self._pending.add(sink)
        self.link.io.call(_nothing)  # a turn
        return True

    def turn(self) -> None:
        """Paint what changed in this turn; while the terminal is behind, only the newest is kept."""
        if not (self._pending or self._acks or self._cursor_due):
            return
        with self.link.lock:
            if not self.terminal.behind and (self._pending or self._cursor_due):
                self._paint(self._due())
            acks: list[Taken] = []
            if not self.terminal.behind and not self._pending:
                acks, self._acks = self._acks, acks
        self.link.send_taken(acks)

    def pointed(self, x: int, y: int) -> PaneBuffer | None:
        """Return the exposed pane at a cell of the terminal."""
        with self.link.lock:
            for buffer, placement in self._placed.items():
                if placement.exposed and placement.rect.holds(x, y):
                    return buffer
        return None

    def watched(self, session: str) -> PaneBuffer | None:
        """Return a pane on screen that shows a session."""
        with self.link.lock:
            return self._buffer_of(session)

    def give_cursor(self, session: str) -> None:
        """Put the terminal's own cursor at a session's, or hide it."""
        with self.link.lock:
            self._session = session
            self._cursor_due = self.terminal.behind
            if not self._cursor_due:
                self.terminal.write(self._place_cursor(moved=False).encode())

    # --- Textual's loop

    def commit(self, data: str, placements: dict[PaneBuffer, Placement]) -> None:
        """Write Textual's frame, and behind it the rows that the frame drew in an older state."""
        with self.link.lock:
            self._arrange(placements)
            for buffer in self._placed:
                buffer.terminal.repair()
            rows = "".join([self._rows(buffer) for buffer in self._placed])
            end = textual_private.SYNC_END if data.endswith(textual_private.SYNC_END) else ""
            body = data.removesuffix(end)
            # Textual has moved the cursor, so it is placed again even where it had not changed.
            cursor = self._place_cursor(moved=True)
            self._send(f"{body}{rows}{cursor}{end}")
            self._pending.clear()

    def write(self, data: str) -> None:
        """Write something that is no frame."""
        with self.link.lock:
            self.terminal.write(data.encode())

    def cursor_cell(self) -> tuple[int, int] | None:
        """Return where the cursor is to be, for Textual to leave it there; None if nowhere."""
        with self.link.lock:
            return self._cursor_cell()

    # --- under the lock

    def _due(self) -> set[PaneBuffer]:
        """Return, once, the panes to be painted now; far terminals get no more than they show."""
        now = time.monotonic()
        due = set(self._pending)
        if self.pace is not None and not self.pace.may_paint(now):
            echo = now - self._typed_at < _ECHO_SECONDS and self.pace.may_paint(now, urgent=True)
            due = {buffer for buffer in due if echo and buffer.session == self._session}
        self._pending -= due
        if self._pending:
            self.link.io.after(_LOOK_AGAIN_SECONDS, _nothing)  # a turn, even if no answer comes
        return due

    def _paint(self, due: set[PaneBuffer]) -> None:
        rows = "".join([self._rows(buffer) for buffer in due])
        rows = self._links.applied(rows, time.monotonic())
        cursor = self._place_cursor(moved=bool(rows))
        if not rows and not cursor:
            return
        self.frames += 1
        if self.synchronized:
            self._send(f"{textual_private.SYNC_START}{rows}{cursor}{textual_private.SYNC_END}")
        else:
            # Without synchronized updates the cursor would be seen running over the rows.
            running = bool(rows) and self._cursor is not None
            hide, show = (_HIDE, _SHOW) if running else ("", "")
            self._send(f"{hide}{rows}{cursor}{show}")

    def _send(self, frame: str) -> None:
        if self.pace is not None:
            frame += self.pace.painted(time.monotonic(), len(frame))
        self.terminal.write(frame.encode())

    def _rows(self, buffer: PaneBuffer) -> str:
        """Return what brings a pane's place from what it shows to what it should show."""
        rect = buffer.terminal.exposed_at
        if rect is None:
            return ""
        due = buffer.terminal.take_due()
        return "".join([self._row(buffer, y, rect.x + 1, rect.y + y + 1) for y in due])

    def _row(self, buffer: PaneBuffer, y: int, column: int, line: int) -> str:
        new = buffer.rows[y]
        old = buffer.terminal.replace(y, new)
        if old is new:
            return ""
        if old is None or old.width != new.width:
            whole = new.whole(column, truecolor=self.truecolor, erase=True)
            return f"\x1b[{line};{column}H{whole}"
        return "".join(
            f"\x1b[{line};{column + first}H"
            + span(new, first, end, column, truecolor=self.truecolor)
            for first, end in changed(old, new)
        )

    def _arrange(self, placements: dict[PaneBuffer, Placement]) -> None:
        """Take over where the frame that is written now has put the panes."""
        if placements.keys() != self._placed.keys():
            self.modes_changed = True
            self.link.io.call(_nothing)  # a turn
        for buffer in self._placed.keys() - placements.keys():
            buffer.leave_to_textual()
            buffer.terminal.move(None)
        for buffer, placement in placements.items():
            moved = buffer.terminal.move(placement.rect)
            fits = placement.rect[2:] == (buffer.width, buffer.height)
            if placement.exposed and self.enabled and fits:
                buffer.terminal.expose(placement.rect, moved=moved)
            else:
                buffer.leave_to_textual()
        self._placed = placements

    def _buffer_of(self, session: str) -> PaneBuffer | None:
        found = [buffer for buffer in self._placed if session and buffer.session == session]
        return max(found, key=lambda buffer: buffer.width * buffer.height, default=None)

    def _cursor_cell(self) -> tuple[int, int] | None:
        buffer = self._buffer_of(self._session)
        rect = buffer.terminal.lies_at if buffer is not None else None
        if buffer is None or rect is None or not buffer.cursor.visible:
            return None
        x, y = buffer.cursor.x, buffer.cursor.y
        if not (0 <= x < buffer.width and 0 <= y < buffer.height):
            return None
        return rect.x + x, rect.y + y

    def _place_cursor(self, *, moved: bool) -> str:
        """Return what puts the cursor where it belongs; nothing where it is there already."""
        cell = self._cursor_cell()
        before, self._cursor, self._cursor_due = self._cursor, cell, False
        if cell is None:
            return _HIDE if before is not None else ""
        parts = [f"\x1b[{cell[1] + 1};{cell[0] + 1}H"] if moved or cell != before else []
        buffer = self._buffer_of(self._session)
        shape = buffer.cursor.shape if buffer is not None else 0
        if shape != self._shape:
            self._shape = shape
            parts.append(f"\x1b[{shape} q")
        if before is None:
            parts.append(_SHOW)
        return "".join(parts)


def _nothing() -> None:
    return


class Placement(NamedTuple):
    """Where a pane lies; `exposed` where nothing lies over any cell of it."""

    rect: CellRect
    exposed: bool


class LayoutReader:
    """Reads Textual's layout, on Textual's loop; once for each layout."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._seen: object = None
        self._placements: dict[PaneBuffer, Placement] = {}

    def look(self) -> dict[PaneBuffer, Placement]:
        """Return the panes of the screen on top that are wholly inside it."""
        screen = textual_private.top_screen(self._app)
        if screen is None:
            return {}
        widgets = textual_private.visible_widgets(screen)
        # A new layout is a new map, so the map itself says whether anything moved.
        if widgets is not self._seen:
            self._seen = widgets
            self._placements = placements(widgets)
        return self._placements


def placements(widgets: dict[Widget, tuple[Region, Region]]) -> dict[PaneBuffer, Placement]:
    """Return where the panes among `widgets` (front to back, with region and clip) lie."""
    found: dict[PaneBuffer, Placement] = {}
    above: list[Region] = []
    for widget, (region, clip) in widgets.items():
        seen = region.intersection(clip)
        if isinstance(widget, TerminalPane) and clip.contains_region(region):
            covered = any(other.overlaps(region) for other in above)
            found[widget.buffer] = Placement(CellRect(*region), exposed=not covered)
        above.append(seen)
    return found
