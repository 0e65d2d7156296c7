"""One view of a front end on a session: which part it shows, and what changed since."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, TypeAlias

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.sessions.audience import Client
from nagomi_tui.orchestrator.sessions.screens import COLS_LIMIT, ROWS_LIMIT, Screen
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.layout import clamped, filled, followed
from nagomi_tui.text.rows import BLANK, CUT, FAINT, PLAIN, Cursor, Row, Run, Style, crop

UNTAKEN_FRAMES: Final = 2
SYNC_SECONDS: Final = 0.15
"""Seconds for which a program may keep its frame open (mode 2026) before it is shown as it is."""
HOT_PAUSE: Final = 0.004
_SHARE: Final = 1 / 16
"""Largest share of time for one view, so that a flood is shown less often."""
_SHARE_OF_ALL: Final = 1 / 16
"""Largest share of time for all views of a front end; each keeps at least half of its frames."""
_BUSY_SECONDS: Final = 0.5
"""Seconds since its last frame for which a view counts among those that share the time."""
_ACTIVE_SECONDS: Final = 1.0
"""Seconds after user input for which a front end gets half as many frames of other sessions."""
_BEAT: Final = 0.05
"""Seconds to whose multiples frames are aligned, so that those of several views come together."""

_GAP: Final = 3
_LITTLE: Final = 6
"""Rows of a gap that counts where fewer than so many rows of text are seen above it."""
_AT_THE_BOX: Final = {Condition.ATTENTION, Condition.LISTENING}
"""Phases in which a user looks at where keys go."""

WireRow: TypeAlias = tuple[tuple[str, int, int], ...]


class SessionView:
    """The state of one view: rows last sent, by identity, and the window on the screen."""

    def __init__(self, client: Client, session: SessionRuntime, spec: messages.View) -> None:
        self.client = client
        self.session = session
        self.dirty = False
        self.painted_at = 0.0
        self._cost = 0.0
        """Average seconds that recent frames took."""
        self._pause = 0.0
        """Seconds from frame to frame while nobody types."""
        self._frame = 0
        self._taken = 0
        self._sent: list[Row | None] = []
        self._told: tuple[object, ...] = ()
        self._left = self._top = 0
        self._open_since: float | None = None
        self.spec = spec
        self.line: int | None = None
        """The present number of the first line shown; None to follow the tail."""
        self._asked: int | None = None
        self.kept: tuple[tuple[int, int], ...] = ()
        """Cells to be found again after a resize, by their present line numbers."""
        self._kept_asked: tuple[tuple[int, int], ...] = ()
        self._kept_told: tuple[tuple[int, int], ...] = ()
        """These cells as the front end knows them."""
        self._resized = False
        self.size = (1, 1)
        self.change(spec)

    def change(self, spec: messages.View) -> None:
        """Show another part, or at another size."""
        cols, rows = max(1, min(spec.cols, COLS_LIMIT)), max(1, min(spec.rows, ROWS_LIMIT))
        if not self._sent or (cols, rows) != self.size:
            self._sent = []
        self.spec, self.size = spec, (cols, rows)
        # A wish that is only repeated may name the line by its number before a reflow.
        if spec.line != self._asked and (spec.line is None or self._numbers_hold(spec)):
            self.line = self._asked = spec.line
        if spec.kept != self._kept_asked and (not spec.kept or self._numbers_hold(spec)):
            self.kept = self._kept_asked = self._kept_told = spec.kept

    def _numbers_hold(self, spec: messages.View) -> bool:
        """Tell whether the lines still have the numbers that the front end knows."""
        screen = self.session.run.screen
        return screen is None or spec.screen_cols in (0, screen.size[0])

    @property
    def full(self) -> bool:
        """Whether the next frame carries all rows."""
        return not self._sent

    def resized(self, line: int | None, kept: tuple[tuple[int, int], ...]) -> None:
        """Note where a resize has moved the first line and the kept cells."""
        self.line, self.kept = line, kept
        self._resized = True

    def start_over(self) -> None:
        """Send all rows again, since the session has another screen now."""
        self._sent = []

    @property
    def blocked(self) -> bool:
        """Whether the front end has not taken the frames sent yet."""
        return self._frame - self._taken >= UNTAKEN_FRAMES or self.client.congested

    def taken(self, frame: int) -> None:
        """Note that the front end has shown this frame."""
        self._taken = max(self._taken, min(frame, self._frame))

    def due(self) -> float:
        """When the next frame may be painted, on the monotonic clock."""
        if self.session.run.hot:
            return self.painted_at + max(HOT_PAUSE, self._cost)
        due = self.painted_at + self._pause
        return due // _BEAT * _BEAT if self._pause > _BEAT else due

    def frame_made(self, began: float, ended: float) -> None:
        """Note that a frame was made and sent between these two moments."""
        self.painted_at = began
        self._cost += (ended - began - self._cost) / 4
        views = self.client.views.values()
        busy = sum(began - view.painted_at < _BUSY_SECONDS for view in views)
        wanted = 1.0 / max(1, min(self.spec.fps, 60))
        if (
            began - self.client.active_at < _ACTIVE_SECONDS
            and self.session is not self.client.focus
        ):
            wanted *= 2  # whoever types looks elsewhere, and waits for an echo
        crowded = min(2 * wanted, self._cost * busy / _SHARE_OF_ALL)
        self._pause = max(wanted, crowded, self._cost / _SHARE)

    def held_back(self, screen: Screen, now: float) -> bool:
        """Return whether the program is in the middle of a frame that is worth waiting for."""
        if not screen.modes.synchronized:
            self._open_since = None
            return False
        if self._open_since is None:
            self._open_since = now
        return now < self._open_since + SYNC_SECONDS

    def hold_ends(self) -> float:
        """When waiting for the child's frame ends."""
        return (self._open_since or time.monotonic()) + SYNC_SECONDS

    def frame(self, screen: Screen) -> messages.Frame | None:
        """Return what changed since the last frame, or None if nothing did."""
        source, line = self._source(screen)
        left_before, full = self._left, self.full
        self._left = self._place_left(screen)
        if self._left != left_before or full:
            self._sent = [None] * self.size[1]
        styles = _Styles()
        changed = self._changed_rows(source, styles)
        cursor = self._cursor(screen, line)
        first, top, last = screen.bounds
        moved = self.kept if self._resized else ()
        self._resized = False
        told = (cursor, screen.modes, line, first, last, self._left, line - top, screen.size, moved)
        if not changed and not full and told == self._told:
            return None
        self._told = told
        kept_before, self._kept_told = self._kept_told, self.kept
        self._frame += 1
        return messages.Frame(
            view=self.spec.view,
            frame=self._frame,
            session=self.session.session_id,
            rows=changed,
            styles=tuple(styles.table),
            full=full,
            cursor=cursor,
            modes=screen.modes,
            line=line,
            first_line=first,
            last_line=last,
            left=self._left,
            top=max(0, line - top),
            cols=screen.size[0],
            screen_rows=screen.size[1],
            kept=moved,
            kept_before=kept_before if moved else (),
        )

    def _source(self, screen: Screen) -> tuple[Sequence[Row], int]:
        """Return the rows to be shown, uncropped, and the number of the first."""
        height = self.size[1]
        first, top, last = screen.bounds
        if self.line is not None:
            line = max(first, min(self.line, last + 1 - height))
            if line < top:
                return screen.lines(line, line + height), line
            self._top = line - top
        elif self.spec.top is not None:
            self._top = clamped(self.spec.top, size=height, total=screen.size[1])
        elif _begins_at_top(screen):
            self._top = 0
        else:
            self._top = self._tail_top(screen)
        return screen.screen()[self._top : self._top + height], top + self._top

    def _tail_top(self, screen: Screen) -> int:
        """Return the first row of the part around the cursor, with no empty rows for want of text.

        A cursor at the beginning of an empty row below all text is as good as behind that text. One
        that is hidden was left anywhere, so the last text is followed: a question stands there. Where
        a box to type in is far below all else, and nobody types or is asked, that else is shown, if it
        is more than the banner of an agent that was asked nothing yet.
        """
        height, total = self.size[1], screen.size[1]
        if height >= total:
            return 0
        cursor, rows = screen.cursor, screen.screen()
        last = next((y for y in range(len(rows) - 1, 0, -1) if rows[y].text.strip()), 0)
        below = last < cursor.y and cursor.x == 0
        at = last if below or not cursor.visible else cursor.y
        info = self.session.info
        if screen.modes.alt_screen and info.phase not in _AT_THE_BOX and not info.is_unasked:
            above = _above_gap(rows, at, height)
            if above is not None:
                return max(0, above + 2 - height)
        top = followed(self._top, size=height, total=total, cursor=at)
        return filled(top, size=height, used=max(last, at) + 1)

    def _place_left(self, screen: Screen) -> int:
        width, total = self.size[0], screen.size[0]
        if self.spec.left is not None:
            return clamped(self.spec.left, size=width, total=total)
        if self.line is not None:
            return clamped(self._left, size=width, total=total)
        if not screen.cursor.visible or self.session is not self.client.focus:
            return 0  # the cursor may be parked anywhere, and lines say most at their beginning
        return followed(self._left, size=width, total=total, cursor=screen.cursor.x)

    def _changed_rows(
        self, source: Sequence[Row], styles: _Styles
    ) -> tuple[tuple[int, WireRow], ...]:
        sent, changed = self._sent, []
        width, left, count = self.size[0], self._left, len(source)
        for y in range(len(sent)):
            row = source[y] if y < count else BLANK
            if sent[y] is not row:
                sent[y] = row
                changed.append((y, styles.wired(_cut(row, left, width))))
        return tuple(changed)

    def _cursor(self, screen: Screen, line: int) -> Cursor:
        """Return the cursor as seen from the view; invisible when it is outside."""
        real, top = screen.cursor, screen.bounds[1]
        x, y = real.x - self._left, real.y + top - line
        inside = 0 <= x < self.size[0] and 0 <= y < self.size[1]
        if not inside:
            return Cursor(0, 0, False, real.shape)
        return Cursor(x, y, real.visible, real.shape)


_CUT: Final = Run(CUT, Style(flags=FAINT))


def _cut(row: Row, left: int, width: int) -> Row:
    """Return the cells of a row that a view shows; a sign at the end tells where it goes on."""
    if row.cells <= left + width or not crop(row, left + width, row.cells).text:
        return crop(row, left, width)
    shown = crop(row, left, width - 1)
    blank = width - 1 - shown.cells
    gap = (Run(" " * blank, PLAIN),) if blank else ()
    return Row((*shown.runs, *gap, _CUT), row.wrapped)


def _above_gap(rows: Sequence[Row], at: int, height: int) -> int | None:
    """Return the last text above a gap that leaves little room for it in a view that ends at `at`.

    None where there is no such gap: it fills half of the view, or is some rows high and few are left
    above it.
    """
    gap = 0
    for y in range(at, -1, -1):
        if not rows[y].text.strip():
            gap += 1
        elif 2 * gap >= height or (gap >= _GAP and y - (at - height) < _LITTLE):
            return y
        elif at - y >= height:
            return None
        else:
            gap = 0
    return None


def _begins_at_top(screen: Screen) -> bool:
    """Tell whether what matters stands at the top of the alternate screen: nobody types into it.

    Who types text into a program may paste it, too, and agents have the box for that at the bottom.
    """
    modes = screen.modes
    return modes.alt_screen and not modes.bracketed_paste and not screen.cursor.visible


class _Styles:
    """The styles of one frame, each once."""

    def __init__(self) -> None:
        self.table: list[Style] = []
        self._known: dict[int, int] = {}

    def wired(self, row: Row) -> WireRow:
        """Return a row's runs with their styles as numbers of this table."""
        known = self._known
        wire = []
        for run in row.runs:
            # By identity: the rows that hold the styles outlive this frame.
            number = known.get(id(run.style))
            if number is None:
                number = known[id(run.style)] = len(self.table)
                self.table.append(run.style)
            wire.append((run.text, number, run.unit))
        return tuple(wire)
