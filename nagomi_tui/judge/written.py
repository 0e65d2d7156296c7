"""Tells what a program wrote on the cursor's line from what the user typed behind it.

What is typed while a process reads whole lines is echoed by the terminal, not by the program, and
what such a process asked stays asked for as long as it has not been seen to do anything but read.
"""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.judge.evidence import Foreground, View, Wait
from nagomi_tui.judge.known import Known

_NUMBERS: Final = re.compile(r"\d+")
_ASKS: Final = re.compile(
    r"(?i)[?？]|[\[(][^\])]*[/,|][^\])]*[\])]|入力|選択|パスワード"
    r"|\b(?:enter|type|choose|choice|select\w*|option|pick|input|provide|pass\w*|user\w*|login|name|value|path"
    r"|file|folder|host|port|mail|e-?mail|token|code|key|number|which|what|answer|confirm\w*|press|continue)\b"
)
"""Words by which a line asks for something each time that it comes."""
_MOST_LINES: Final = 64
_BY_KEYS: Final = 12
"""More than the characters that somebody types between two looks key by key."""


_ON_ITS_WAY: Final = 1.0
"""Most seconds for which output may be on its way while its program is already seen to read."""

_NOWHERE: Final = (-1, "")


def same_but_numbers(one: str, other: str) -> bool:
    """Tell whether two lines differ in their numbers at most, as where seconds are counted down."""
    return _NUMBERS.sub("0", one) == _NUMBERS.sub("0", other)


class Written:
    """Follows the cursor's line of one session, look by look."""

    def __init__(self) -> None:
        self._place = _NOWHERE
        self._line = ""
        self._looked_at = float("-inf")
        self._echoed: tuple[str, bool] | None = None
        """Who was reading when the line grew by what can only be an echo, until that is confirmed."""
        self._reader: tuple[str, bool] | None = None
        """Who has read the terminal without a break since the question that is kept."""
        self._reads: tuple[tuple[str, bool] | None, float] = (None, 0.0)
        """Who reads, and since when as far as was seen."""
        self._asked: dict[str, int] = {}
        """How often each line, numbers aside, was written by the program in the foreground."""
        self._of = ""

    @property
    def unanswered(self) -> bool:
        """Tell whether the process that asked reads on, so that nothing can have answered it."""
        return self._reader is not None

    def came_back(self, line: str) -> bool:
        """Tell whether a line comes after each command: such a one is a prompt, and asks nothing."""
        return self._asked.get(_NUMBERS.sub("0", line), 0) > 1 and not _ASKS.search(line)

    def look(self, known: Known, *, sampled: bool) -> None:
        """Take in a view, or a sample of the processes; sets what the program has written."""
        seen, view = known.foreground, known.view
        reader = _reader(seen)
        if sampled:
            self._confirm(known, reader)
        if seen is not None and reader != self._reads[0]:
            self._reads = reader, seen.at
        if sampled or known.entered_at >= self._looked_at:
            # An Enter since that line was looked at has answered it, whatever was printed since.
            held = known.question is not None and known.entered_at < self._looked_at
            kept = reader is not None and (self._reader in (None, reader)) and held
            self._reader = reader if kept else None
        if view is not None:
            self._take(known, view, reader)

    def _confirm(self, known: Known, reader: tuple[str, bool] | None) -> None:
        if self._echoed is not None and reader != self._echoed:
            known.written = self._line
        self._echoed = None

    def _take(self, known: Known, view: View, reader: tuple[str, bool] | None) -> None:
        above = view.rows[view.cursor_y - 1] if view.cursor_y else ""
        place, line = (view.cursor_y, above), view.cursor_line
        if place == self._place and line == self._line:
            return
        # What was pasted may come to stand there in several steps.
        late = known.typed_count > 0 and view.at < known.typed_at + _ON_ITS_WAY
        typed = (late or known.typed_at >= self._looked_at) and known.typed_at > known.entered_at
        now, before = line.rstrip(), self._line.rstrip()
        edited = now.startswith(before) or before.startswith(now)
        grown = edited and place == self._place and line.startswith(known.own_line.rstrip())
        # A program that reads single keys draws what it likes after one.
        raw = known.foreground is not None and not known.foreground.canonical
        little = abs(len(line) - len(self._line)) < max(_BY_KEYS, known.typed_count + 1)
        # It may have drawn a new line before what was pasted.
        pasted = known.typed_count if typed and raw and known.typed_count >= _BY_KEYS else 0
        typed = typed and (not raw or little)
        # Where no key was ever told of, a line that grows while its process reads on tells of them.
        untold = max(known.typed_at, known.entered_at) == float("-inf")
        # What came about when it began to read was printed before, and is only told later.
        reads = reader is not None and view.at > self._reads[1] + _ON_ITS_WAY
        if grown and (typed or (reads and little and untold)):
            self._echoed = None if typed else reader
        elif typed and self._place == _NOWHERE:
            # Typed before the program has printed anything: what stands there is an echo.
            known.written = ""
        elif typed and reader is not None and not line.startswith(self._line or "\0"):
            known.written = ""
        else:
            known.written = line[: max(0, len(line) - pasted)]
            self._count(known, line)
        left = known.typed_count - len(line) + len(self._line) if grown and typed else 0
        self._place, self._line, self._looked_at = place, line, view.at
        known.typed_count = max(0, left)

    def _count(self, known: Known, line: str) -> None:
        seen = known.foreground
        if seen is not None and seen.command != self._of:
            self._asked, self._of = (self._asked if not self._of else {}), seen.command
        if line.strip():
            key = _NUMBERS.sub("0", line)
            self._asked[key] = self._asked.get(key, 0) + 1
            if len(self._asked) > _MOST_LINES:
                self._asked.clear()


def _reader(seen: Foreground | None) -> tuple[str, bool] | None:
    """Return who reads whole lines from the terminal, if anybody does."""
    if seen is None or seen.wait is not Wait.READ or not seen.canonical:
        return None
    return seen.command, seen.leader
