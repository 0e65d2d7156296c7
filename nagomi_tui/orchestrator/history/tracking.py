"""Reads the rows of one session's terminal that are new since they were last stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import Final, NamedTuple

from anyio.lowlevel import checkpoint

from nagomi_tui.masking import may_grow
from nagomi_tui.orchestrator.terminals.anchor import Anchor, anchor, line_of
from nagomi_tui.orchestrator.terminals.screens import Screen
from nagomi_tui.sessions.transcript import TextRow
from nagomi_tui.text.rows import Row

RATE: Final = 256 * 1024
"""Most bytes a second that are read of one session."""
FLOOD_RATE: Final = RATE // 4
"""The same during a flood, which leaves gaps anyway; its last lines are read once it is over."""
_LONGEST_PAUSE: Final = 3.0
"""Seconds for which an unused rate accumulates."""
_BLOCK: Final = 32
_ROW_BYTES: Final = 32
"""Bytes that a row counts for at least, since reading it has a cost."""
_ENDLESS: Final = 64 * 1024
"""Characters after which an unfinished line is stored; the rest of it is left out."""
_STILL: Final = 3.0
"""Seconds after which a row on the screen of a busy session counts as finished."""
_PICTURES: Final = 20.0
_PICTURE_EVERY: Final = 5.0
"""Most screens that are kept when they are erased, and seconds until one more is: a program that
draws pictures by erasing them leaves gaps."""
_NEAR: Final = 500
"""Rows that are counted to find the place again after a resize."""


class Reading(NamedTuple):
    """New rows of whole lines that have scrolled away, and the number of lines missing before them."""

    rows: list[TextRow]
    gap: int


class _Stood(NamedTuple):
    """The state of a row on the screen when it was last read."""

    text: str
    since: float
    grew: bool
    """Whether it has become longer since it appeared."""


class Tracker:
    """Reads a screen onwards from `next`, the number of the first row that is not stored."""

    def __init__(self, screen: Screen, run: float, next_line: int) -> None:
        self.screen = screen
        self.run = run
        self.next = next_line
        self.lost_place = False
        """Whether the next rows may be stored already."""
        self.told: object = None
        """The rows at rest, or of the alternate screen, that were stored last."""
        self.told_screen_at = float("-inf")
        """The monotonic time at which the alternate screen was stored last."""
        self.spent = 0.0
        """Seconds spent on reading since this was last reset."""
        self.due = 0.0
        """The monotonic time before which it is not read, to bound the share of time."""
        self._layout = screen.layout
        self._skipping = False
        """Whether the rest of the line at `next` is left out."""
        self._missed = 0
        self._floods = False
        """Whether more was printed than read the last time."""
        self._read_at = 0.0
        self._saved_at = 0.0
        """When the rate of what is read before it is erased was last used up."""
        self._pictured_at = 0.0
        self._saves = 0
        self._pictures = _PICTURES
        """How many whole screens may be read now; it grows with time."""
        self._stood: dict[int, _Stood] = {}

    @property
    def readable(self) -> bool:
        """Whether its lines can be read, which they cannot behind the alternate screen."""
        return not self.screen.modes.alt_screen

    def mark(self) -> tuple[int, bool, int]:
        """Return the position, to go back to it if the rows cannot be stored."""
        return self.next, self._skipping, self._layout

    def go_back(self, place: tuple[int, bool, int]) -> None:
        """Go back to a position; after a resize that is not possible."""
        if place[2] == self._layout:
            self.next, self._skipping, _ = place
        self.told = None

    def to_the_end(self) -> None:
        """Skip everything that was printed until now."""
        cursor = self.screen.cursor
        self.next = max(self.next, self.screen.bounds[1] + cursor.y + (cursor.x > 0))
        self._layout, self._skipping, self._missed = self.screen.layout, False, 0
        self.told = None

    def rest(self, until: float) -> None:
        """Read nothing before then; the rate of the meantime is lost."""
        self.due = self._read_at = until

    # --- resizes

    def place(self) -> Anchor | None:
        """Return the anchor of the position, before a resize; None if it cannot be found again."""
        far = self.screen.bounds[1] - self.next
        if not self.readable:
            return None
        if far > _NEAR:
            self._missed += far
            return None
        return anchor(self.screen, self.next)

    def resized(self, place: Anchor) -> None:
        """Set the position to the same place among renumbered lines."""
        self.next, self._layout = line_of(self.screen, place), self.screen.layout
        self._stood.clear()

    def _find_place(self) -> None:
        """Begin with the screen if the next row does not exist any more."""
        _, top, last = self.screen.bounds
        if self._layout != self.screen.layout or self.next > last + 1:
            self.next, self._layout = top, self.screen.layout
            self.lost_place, self._skipping = True, False

    # --- reading

    async def read(
        self, now: float, valid: Callable[[], bool], *, quiet: bool = False
    ) -> Reading | None:
        """Return the newest rows above the screen, as many as the rate allows.

        None if the screen was resized or erased meanwhile, or replaced, in which case `valid`
        returns False.
        """
        self._find_place()
        floods = not quiet and (self._floods or self.screen.bounds[0] > self.next)
        rate = FLOOD_RATE if floods else RATE
        room = rate * min(_LONGEST_PAUSE, max(now - self._read_at, 1.0))
        self._read_at = now
        layout, saves, steps = self.screen.layout, self._saves, self._reading(room)
        while True:
            try:
                next(steps)
            except StopIteration as done:
                reading: Reading = done.value
                return reading
            await checkpoint()
            if not valid() or (self.screen.layout, self._saves) != (layout, saves):
                return None

    def save(self, now: float, *, screen: bool) -> tuple[Reading, tuple[TextRow, ...]]:
        """Return at once what is about to be erased, and what only goes out of sight.

        With `screen` what stands on it is erased, too, and what follows begins at its top.
        """
        self._find_place()
        self._saves += 1
        begins, pictured = max(self._saved_at, now - _LONGEST_PAUSE), self._pictured_at
        self._pictured_at = now
        left = RATE * (now - begins)
        steps = self._reading(left)
        while True:
            try:
                left = next(steps)
            except StopIteration as done:
                reading: Reading = done.value
                break
        self._saved_at = now - max(0.0, left) / RATE
        if not screen:
            return reading, self.still(now, quiet=True, final=False)
        _, top, last = self.screen.bounds
        rows = self._rows(self.next, last + 1)
        while rows and not rows[-1].text.strip():
            rows.pop()
        stood = [self._stood.get(number) for number in range(self.next, self.next + len(rows))]
        whole = self._sure(rows, [before is not None and before.grew for before in stood])
        if whole:
            whole[-1] = TextRow(whole[-1].text)
        self._pictures = min(_PICTURES, self._pictures + (now - pictured) / _PICTURE_EVERY)
        if self._pictures < 1:
            self.missed(len(whole))
            whole = []
        else:
            self._pictures -= bool(whole)
        self.next, self._skipping = top, False
        self._stood.clear()
        return Reading([*reading.rows, *whole], reading.gap), ()

    def missed(self, lines: int) -> None:
        """Count lines that nobody could read."""
        self._missed += lines

    def erased(self, *, again: bool) -> None:
        """Go on at the top of a screen that was erased; `again`, if its text is printed once more."""
        self.next, self._layout = self.screen.bounds[1], self.screen.layout
        self.lost_place = self.lost_place or again

    def _reading(self, room: float) -> Generator[float, None, Reading]:
        """Read block by block, yielding the room that is left."""
        first, at, _ = self.screen.bounds
        low = max(self.next, first)
        blocks: list[list[TextRow]] = []
        while at > low and room > 0:
            rows = self._rows(max(low, at - _BLOCK), at)
            kept = 0
            for row in reversed(rows):
                room -= max(_ROW_BYTES, len(row.text) if row.text.isascii() else 3 * len(row.text))
                if room < 0:
                    break
                kept += 1
            blocks.append(rows[len(rows) - kept :])
            at -= kept
            yield room
            if kept < len(rows) or not rows:
                break
        if not blocks:
            at = low
        gap, self._missed = max(0, at - self.next) + self._missed, 0
        self._floods = gap > 0
        if gap:
            before = self._rows(at - 1, at)
            self._skipping = not before or before[0].wrapped
        return Reading(self._whole([row for rows in reversed(blocks) for row in rows], at), gap)

    def still(self, now: float, *, quiet: bool, final: bool) -> tuple[TextRow, ...]:
        """Return the rows at rest above the cursor, or all rows of an ended session.

        While the session is busy, these are the rows that have not changed for some seconds.
        """
        screen = self.screen
        _, top, last = screen.bounds
        rows = self._rows(self.next, last + 1 if final else top + screen.cursor.y)
        stood, self._stood = self._stood, {}
        first = self.next
        if self._skipping:
            ends = next((at + 1 for at, row in enumerate(rows) if not row.wrapped), len(rows))
            rows, first = rows[ends:], first + ends
        keep = len(rows) if quiet else 0
        for number, row in enumerate(rows, first):
            self._stood[number] = now_stands = _stands(stood.get(number), row.text, now)
            if not quiet and number - first == keep and now - now_stands.since >= _STILL:
                keep += 1
        while keep and (not rows[keep - 1].text or (rows[keep - 1].wrapped and not final)):
            keep -= 1
        if final:
            return tuple(rows[:keep])
        grew = [self._stood[number].grew for number in range(first, first + keep)]
        return tuple(self._sure(rows[:keep], grew))

    def alternate(self) -> tuple[TextRow, ...]:
        """Return the rows of the alternate screen, without the blank ones at its end."""
        _, top, last = self.screen.bounds
        rows = self._rows(top, last + 1)
        while rows and not rows[-1].text.strip():
            rows.pop()
        return tuple(rows)

    @staticmethod
    def _sure(rows: Sequence[TextRow], grew: Sequence[bool]) -> list[TextRow]:
        """Return the rows of lines whose end cannot be the beginning of a secret."""
        sure: list[TextRow] = []
        begun: list[TextRow] = []
        for row, has_grown in zip(rows, grew, strict=True):
            begun.append(row)
            if not row.wrapped:
                if not may_grow(row.text, grew=has_grown):
                    sure += begun
                begun = []
        return sure + begun

    def _whole(self, rows: list[TextRow], start: int) -> list[TextRow]:
        """Return the rows of whole lines, and move the position behind them."""
        if self._skipping:
            ends = next((at + 1 for at, row in enumerate(rows) if not row.wrapped), None)
            self._skipping = ends is None
            rows, start = rows[ends or len(rows) :], start + (ends or len(rows))
        last = next((at for at in range(len(rows), 0, -1) if not rows[at - 1].wrapped), 0)
        rest = rows[last:]
        if sum(len(row.text) for row in rest) < _ENDLESS:
            self.next = start + last
            return rows[:last]
        self._skipping, self.next = True, start + len(rows)
        return [*rows[:-1], TextRow(rows[-1].text)]

    def _rows(self, start: int, stop: int) -> list[TextRow]:
        began = time.thread_time()
        rows = [_text(row) for row in self.screen.lines(start, stop, plain=True)]
        self.spent += time.thread_time() - began
        return rows


def _stands(before: _Stood | None, text: str, now: float) -> _Stood:
    if before is None:
        return _Stood(text, now, grew=False)
    if before.text == text:
        return before
    stem = before.text.rstrip(" │┃|")
    return _Stood(text, now, grew=bool(stem) and text.startswith(stem))


def _text(row: Row) -> TextRow:
    return TextRow("".join(run.text for run in row.runs) if row.wrapped else row.text, row.wrapped)
