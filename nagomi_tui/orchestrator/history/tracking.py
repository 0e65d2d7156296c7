"""Reads the rows of one session's terminal that are new since they were last stored."""

from __future__ import annotations

import re
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from anyio.lowlevel import checkpoint

from nagomi_tui.masking import may_grow
from nagomi_tui.orchestrator.sessions.anchor import Anchor, anchor, line_of
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.sessions.transcript import TextRow
from nagomi_tui.text.rows import Row

RATE: Final = 256 * 1024
"""Most bytes a second that are read of one session."""
FLOOD_RATE: Final = RATE // 4
"""Most bytes a second during a flood, which leaves gaps anyway; its last lines are read at its end."""
_LONGEST_PAUSE: Final = 3.0
"""Seconds for which an unused rate accumulates."""
_BLOCK: Final = 32
_ROW_BYTES: Final = 32
"""Bytes that a row counts for at least, since reading it has a cost."""
_SECOND_BYTES: Final = 2 * 1024 * 1024
"""Bytes for which a second of reading counts: a row of combined characters takes fifty times as long."""
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
_NOTED: Final = 500
"""Rows above the screen after which a line that was noted there is left to the reading of a flood."""
_BORDERS: Final = " │┃|"
_NO_LETTERS: Final = re.compile(r"[\W\d_]+")
_WORD: Final = re.compile(r"[^\W\d_]{3}")


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


class _Noted(NamedTuple):
    """A line that stood on the screen before its program moved up to draw there."""

    rows: tuple[TextRow, ...]
    printed: bool
    """Whether nothing had been drawn over its rows before."""
    text: str
    time: int
    """The number of the time that it was noted: of one text several may have stood there at once."""


class _Lost(NamedTuple):
    """A line that was drawn over, which is stored before the row that stands there now."""

    number: int
    """The number of its first row, or of the first of the rows that were drawn over with it."""
    rows: tuple[TextRow, ...]
    since: float


Mark: TypeAlias = tuple[int, bool, int, tuple[_Lost, ...]]


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
        self.floods = False
        """Whether more was printed than was read the last time."""
        self._read_at = 0.0
        self._saved_at = 0.0
        """When the rate of what is read before it is erased was last used up."""
        self._pictured_at = 0.0
        self._saves = 0
        self._pictures = _PICTURES
        """How many whole screens may be read now; it grows with time."""
        self._stood: dict[int, _Stood] = {}
        self._noted: dict[int, _Noted] = {}
        """What stood on the screen, by the number of its first row, and is not stored yet."""
        self._noted_to = next_line
        """The number behind the last row that was noted."""
        self._times = 0
        self._lost: list[_Lost] = []

    @property
    def readable(self) -> bool:
        """Whether its lines can be read, which they cannot behind the alternate screen."""
        return not self.screen.modes.alt_screen

    def mark(self) -> Mark:
        """Return the position, to go back to it if the rows cannot be stored."""
        return self.next, self._skipping, self._layout, tuple(self._lost)

    def go_back(self, place: Mark) -> None:
        """Go back to a position; after a resize that is not possible."""
        if place[2] == self._layout:
            self.next, self._skipping, _, lost = place
            self._lost = list(lost)
        self.told = None

    def to_the_end(self) -> None:
        """Skip everything that was printed until now."""
        cursor = self.screen.cursor
        self.next = max(self.next, self.screen.bounds[1] + cursor.y + (cursor.x > 0))
        self._layout, self._skipping, self._missed = self.screen.layout, False, 0
        self.told = None
        self._begin_notes()

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
        self._begin_notes()

    def _find_place(self) -> None:
        """Begin with the screen if the next row does not exist any more."""
        _, top, last = self.screen.bounds
        if self._layout != self.screen.layout or self.next > last + 1:
            self.next, self._layout = top, self.screen.layout
            self.lost_place, self._skipping = True, False
            self._begin_notes()

    # --- reading

    async def read(
        self, now: float, valid: Callable[[], bool], *, quiet: bool = False
    ) -> Reading | None:
        """Return the newest rows above the screen, as many as the rate allows.

        None if the screen was resized or erased meanwhile, or replaced, in which case `valid`
        returns False.
        """
        self._find_place()
        self._compare(now)
        floods = not quiet and (self.floods or self.screen.bounds[0] > self.next)
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
        self._compare(now)
        self._saves += 1
        begins = max(self._saved_at, now - _LONGEST_PAUSE)
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
        if whole and not self._may_keep(now):
            self.missed(len(whole))
            whole = []
        whole = self._put_back(whole, self.next)
        self.next, self._skipping = top, False
        self._stood.clear()
        return Reading([*reading.rows, *whole], reading.gap), ()

    def _may_keep(self, now: float) -> bool:
        """Tell whether one more picture may be kept that goes from the screen now."""
        grown = (now - self._pictured_at) / _PICTURE_EVERY
        self._pictures, self._pictured_at = min(_PICTURES, self._pictures + grown), now
        if self._pictures < 1:
            return False
        self._pictures -= 1
        return True

    def missed(self, lines: int) -> None:
        """Count lines that nobody could read."""
        self._missed += lines

    def erased(self, *, again: bool) -> None:
        """Go on at the top of a screen that was erased; `again`, if its text is printed once more."""
        self.next, self._layout = self.screen.bounds[1], self.screen.layout
        self.lost_place = self.lost_place or again
        self._begin_notes()

    # --- what is drawn over

    def note(self, now: float, *, stood: bool) -> None:
        """Note what stands on the screen, before its program moves up to draw there.

        Lines that were printed there are noted once, before the first row is drawn over them; with
        `stood`, when nothing was printed for long enough to be read, all lines are. What is
        not there any more once the output rests, `_compare` has stored.
        """
        self._find_place()
        _, top, last = self.screen.bounds
        cursor = self.screen.cursor
        if stood:
            self._compare(now)
        elif top + cursor.y < self._noted_to:
            return
        start = max(self.next, top, 0 if stood else self._noted_to)
        stop = last + 1
        rows = self._rows(start, stop)
        while rows and not rows[-1].text.strip():
            rows.pop()
        edited = top + cursor.y if self.screen.modes.bracketed_paste else -1
        for number, line in _lines(rows, start):
            if number not in self._noted and not number <= edited < number + len(line):
                text = _joined(line)
                if text:
                    printed = number >= self._noted_to
                    self._noted[number] = _Noted(line, printed, text, self._times)
        self._times += 1
        self._noted_to = max(self._noted_to, start + len(rows))

    def _begin_notes(self) -> None:
        """Note nothing of what stands there now: it is stored, or its place is not known."""
        self._noted.clear()
        self._noted_to = self.next

    def _compare(self, now: float) -> None:
        """See which of the lines that were noted are not there any more.

        A line that stands elsewhere now, or has grown, is there; so is one in whose place stand the
        same words with other numbers, since counters, clocks and bars are drawn so. The lines that
        are lost are stored, as many times as pictures that are erased. Beyond that, those that were
        printed are counted as missing; of what is drawn over and over no more is said.
        """
        if not self._noted:
            return
        first, top, last = self.screen.bounds
        far = max(first, top - _NOTED)
        self._noted = {number: noted for number, noted in self._noted.items() if number >= far}
        low = min(self._noted, default=far)
        stands = dict(_lines(self._rows(low, last + 1), low))
        texts = {number: _joined(line) for number, line in stands.items()}
        gone = {
            number: noted
            for number, noted in self._noted.items()
            if texts.get(number) != noted.text
        }
        others: dict[str, list[int]] = {}
        for number, text in texts.items():
            if number in gone or number not in self._noted:
                others.setdefault(text, []).append(number)
        found = _matched(gone, attrgetter("text"), Counter({t: len(n) for t, n in others.items()}))
        moved = {
            number: gone[old]
            for text, olds in found.items()
            for number, old in zip(others[text], olds, strict=False)
        }
        for number in [old for olds in found.values() for old in olds]:
            del gone[number]
        likes = Counter(
            _likeness(text) for text, numbers in others.items()
            for number in numbers if number not in moved
        )  # fmt: skip
        alike = _matched(gone, lambda noted: _likeness(noted.text), likes)
        like = {old for olds in alike.values() for old in olds}
        for number, noted in list(gone.items()):
            if number in like or texts.get(number, "").startswith(noted.text):
                del gone[number]
        self._noted = {
            number: noted
            for number, noted in (self._noted | moved).items()
            if number >= self.next and texts.get(number) == noted.text
        }
        lost = _once({n: one for n, one in gone.items() if not may_grow(one.text, grew=False)})
        if not lost:
            return
        if not self._may_keep(now):
            self.missed(sum(len(one.rows) for one in lost.values() if one.printed))
            return
        begins = ends = -1
        for number, noted in sorted(lost.items()):
            begins = begins if number == ends else number
            ends = number + len(noted.rows)
            insort(self._lost, _Lost(begins, noted.rows, now), key=attrgetter("number"))

    def _put_back(
        self,
        rows: list[TextRow],
        start: int,
        stop: float = float("inf"),
        below: Sequence[_Lost] = (),
    ) -> list[TextRow]:
        """Return rows from `start` on, with what was drawn over before `stop` where it stood."""
        back = sorted(
            [*(one for one in self._lost if one.number < stop), *below], key=attrgetter("number")
        )
        self._lost = [one for one in self._lost if one.number >= stop]
        made, at = list[TextRow](), 0
        for one in back:
            until = min(max(at, one.number - start), len(rows))
            while at < until < len(rows) and rows[until - 1].wrapped:
                until -= 1
            made += [*rows[at:until], *one.rows]
            at = until
        return made + rows[at:]

    def _reading(self, room: float) -> Generator[float, None, Reading]:
        """Read block by block, yielding the room that is left."""
        first, at, _ = self.screen.bounds
        low = max(self.next, first)
        blocks: list[list[TextRow]] = []
        while at > low and room > 0:
            spent = self.spent
            rows = self._rows(max(low, at - _BLOCK), at)
            least = max(_ROW_BYTES, (self.spent - spent) * _SECOND_BYTES / max(1, len(rows)))
            kept = 0
            for row in reversed(rows):
                room -= max(least, len(row.text) if row.text.isascii() else 3 * len(row.text))
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
        self.floods = gap > 0
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
        kept = rows[:keep]
        if not final:
            kept = self._sure(kept, [self._stood[n].grew for n in range(first, first + keep)])
        old = bool(self._lost) and now - self._lost[0].since >= _STILL
        stop = float("inf") if quiet or old else first + keep
        below = self._below(first + keep) if quiet and not final else ()
        return tuple(self._put_back(kept, first, stop, below))

    def _below(self, start: int) -> Sequence[_Lost]:
        """Return the lines that were printed and still stand below the cursor, where nobody types."""
        if self.screen.modes.bracketed_paste:
            return []
        cursor = self.screen.cursor
        typed = self.screen.bounds[1] + cursor.y if cursor.x else -1
        return [
            _Lost(number, noted.rows, 0.0)
            for number, noted in self._noted.items()
            if number >= start
            and not number <= typed < number + len(noted.rows)
            and noted.printed
            and not may_grow(noted.text, grew=False)
        ]

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
            return self._put_back(rows[:last], start, self.next)
        self._skipping, self.next = True, start + len(rows)
        return self._put_back([*rows[:-1], TextRow(rows[-1].text)], start, self.next)

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


def _lines(rows: Sequence[TextRow], start: int) -> list[tuple[int, tuple[TextRow, ...]]]:
    """Return the lines that rows make, each with the number of its first row; the first may be a rest."""
    made: list[tuple[int, tuple[TextRow, ...]]] = []
    begun: list[TextRow] = []
    for at, row in enumerate(rows, start + 1):
        begun.append(row)
        if not row.wrapped or at == start + len(rows):
            line = (*begun[:-1], TextRow(begun[-1].text))
            made.append((at - len(begun), line))
            begun = []
    return made


def _joined(line: Sequence[TextRow]) -> str:
    return "".join(row.text for row in line).strip(_BORDERS)


def _matched(
    noted: Mapping[int, _Noted], key: Callable[[_Noted], str], now: Counter[str]
) -> dict[str, list[int]]:
    """Return by key which lines stand there now: of each time at most as many as do now.

    What moves down with each frame of its program was noted several times, and is one line.
    """
    used: Counter[tuple[str, int]] = Counter()
    made: dict[str, list[int]] = {}
    for number, one in noted.items():
        of = key(one)
        if of and used[of, one.time] < now[of]:
            used[of, one.time] += 1
            made.setdefault(of, []).append(number)
    return made


def _once(lost: Mapping[int, _Noted]) -> dict[int, _Noted]:
    """Return lines, and of each text no more than have stood there at one time."""
    at_once = Counter((one.text, one.time) for one in lost.values())
    most: dict[str, int] = {}
    for (text, _), count in at_once.items():
        most[text] = max(count, most.get(text, 0))
    kept: dict[int, _Noted] = {}
    for number, one in lost.items():
        if most[one.text]:
            most[one.text] -= 1
            kept[number] = one
    return kept


def _likeness(text: str) -> str:
    """Return a line without its numbers and signs; nothing where it holds no words."""
    return _NO_LETTERS.sub(" ", text) if _WORD.search(text) else ""


def _text(row: Row) -> TextRow:
    return TextRow("".join(run.text for run in row.runs) if row.wrapped else row.text, row.wrapped)
