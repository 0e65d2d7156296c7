"""The end of a session's backlog that is plain: text, ends of lines and colours alone.

Such output changes nothing but rows that scroll away and the colours of what follows. So what
enough lines follow need not be drawn: nobody could see it any more.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_TEXT: Final = bytes({*b"\t\r\x1b", *range(0x20, 0x100)} - {0x7F, 0xC2})
_DRAWS: Final = re.compile(rb"\x1b(?!\Z|\[[0-9;:]*(?:[mK]|\Z))")
"""The beginning of a sequence that is no colour, nor the beginning of one."""
_C1: Final = re.compile(rb"\xc2[\x80-\x9f]")
_OPEN: Final = re.compile(rb"\x1b(?:\[[0-9;:]*)?\Z")
"""A sequence whose end the next message brings."""
_ASKED: Final = 8
"""A terminal that tells no reach so many times does not just happen to be within a sequence."""
_PAUSE: Final = 32
"""Messages that are not looked at after one that was not plain."""


class PlainRun:
    """Which messages of a backlog are plain, and how many lines these end."""

    def __init__(self) -> None:
        self.before = 0
        """Messages in the backlog before the first plain one."""
        self.reach: int | None = None
        """After how many lines what is drawn now is not kept; None where that is not known."""
        self._lines = deque[int]()
        """How many lines each plain message ends."""
        self._all_lines = 0
        self._open = b""
        self._asked = 0
        """How many times in vain the reach was asked for."""
        self._pause = 0

    def add(self, data: bytes, waiting: int) -> None:
        """Look at output that came last, `waiting` messages with it."""
        if self._pause:
            self._pause -= 1
            self.cut(waiting)
        elif (lines := plain_lines(joined := self._open + data)) is not None:
            last = joined.rfind(b"\x1b")
            found = _OPEN.match(joined, last) if last >= 0 else None
            self._open = found[0] if found else b""
            self._lines.append(lines)
            self._all_lines += lines
        else:
            self._rest(waiting)

    def ask(self, reach: Callable[[], int | None], waiting: int) -> None:
        """Ask for the reach; where a terminal does not tell it again and again, rest for a while."""
        if self.reach is None:
            self.reach = reach()
            self._asked += 1
        if self.reach is None and self._asked >= _ASKED:
            self._rest(waiting)

    def _rest(self, waiting: int) -> None:
        """Look at none of the next messages."""
        self.cut(waiting)
        self._pause = _PAUSE

    def cut(self, waiting: int) -> None:
        """Take all `waiting` messages for such that must be drawn."""
        self.before, self.reach, self._open = waiting, None, b""
        self._all_lines = self._asked = 0
        self._lines.clear()

    def taken(self) -> None:
        """Note that the first message was drawn or left out."""
        if self.before:
            self.before -= 1
        else:
            self._all_lines -= self._lines.popleft()

    def split(self, pieces: Iterable[bytes]) -> None:
        """Note that the first message has become several."""
        lines = [piece.count(b"\n") for piece in pieces]
        if self.before:
            self.before += len(lines) - 1
        else:
            self._lines.popleft()
            self._lines.extendleft(reversed(lines))

    @property
    def first_lines(self) -> int:
        """How many lines the first message ends, which is plain."""
        return self._lines[0]

    @property
    def hides_first(self) -> bool:
        """Whether so many lines follow the first message that nothing of it will be kept."""
        if self.before or self.reach is None or not self._lines:
            return False
        return self._all_lines - self._lines[0] > self.reach


def plain_lines(data: bytes) -> int | None:
    """Return how many lines plain data ends; None where it is not plain.

    Plain are text, TAB, CR and LF, SGR and EL, the last one also in part. There are no C1 controls,
    and a CR comes before the first LF, so that what was before it has no part in the second line.
    """
    controls = data.translate(None, _TEXT)
    others = controls.translate(None, b"\n")
    if others.strip(b"\xc2") or (others and _C1.search(data)):
        return None
    line = data.find(b"\n", 1)
    if line >= 0 and data.find(b"\r", 0, line) < 0:
        return None
    if _DRAWS.search(data):
        return None
    return len(controls) - len(others)
