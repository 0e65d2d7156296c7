"""Avoids a crash of the native library by marks and joiners in the bottom right corner.

A character that joins a cluster can make it wide. In the last cell of the last row the cluster
then wraps; if a scroll region above keeps that row from scrolling, this release writes out of
bounds. So there, and only there, such a character is left out.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Final
from unicodedata import category, combining, east_asian_width

from nagomi_tui.terminal.ghostty.native import Native, Questions

_ZWJ: Final = "\u200d".encode()
_VS16: Final = "\ufe0f"
_AFTER_WIDE: Final = (
    rb"\xf0\x9f\x91[\x82-\xbf]",
    rb"\xf0\x9f[\x92\x98\xa7].",
    rb"\xf0\x9f\x8f[\xbb-\xbf]",
)
"""Emoji such as persons, which precede most joiners."""
_JOINER: Final = re.compile(
    _ZWJ + b"".join(b"(?<!" + wide + _ZWJ + b")" for wide in _AFTER_WIDE), re.DOTALL
)
_MARKS: Final = tuple(
    (lead, re.compile(lead + rest, re.DOTALL))
    for lead, rest in (
        (b"\xe0", rb".."),
        (b"\xe1", rb".."),
        (b"\xe3", rb"\x80[\xae\xaf]"),
        (b"\xea", rb"[\xa0-\xaf]."),
        (b"\xf0", rb"[\x91\x96\x9d].."),
    )
)
"""Ranges of marks, and their first bytes: text without these bytes is passed over quickly."""
_REGION: Final = b"\x1bP$qr\x1b\\\x1bP$qs\x1b\\"
"""Asks for the scroll region, and for left and right margins, which are invalid where off (DECRQSS)."""
_WORTH_ASKING: Final = 1024
"""Bytes of a text that takes longer to look through than the question does."""
_VIRAMA: Final = 9
"""Combining class of marks that join two letters."""


def joiners(data: bytes) -> list[tuple[int, int]]:
    """Return start and end of all characters that can widen a cluster; quick if there are none.

    They are spacing marks and viramas, as in Hindi, and the zero-width joiner of emoji.
    """
    if data.isascii():
        return []
    found = [
        joiner.span()
        for joiner in _JOINER.finditer(data)
        if not _ends_wide(data[max(0, joiner.start() - 4) : joiner.start()])
    ]
    for lead, marks in _MARKS:
        if lead in data:
            found += [mark.span() for mark in marks.finditer(data) if _is_mark(mark[0])]
    return sorted(found)


@functools.lru_cache(maxsize=4096)
def _ends_wide(before: bytes) -> bool:
    char = before.decode("utf-8", "replace")[-1:]
    return char == _VS16 or (char != "" and east_asian_width(char) == "W")


@functools.lru_cache(maxsize=4096)
def _is_mark(encoded: bytes) -> bool:
    char = encoded.decode("utf-8", "replace")
    return len(char) == 1 and (category(char) == "Mc" or combining(char) == _VIRAMA)


class Corner:
    """Tells whether a character that joins the cluster just drawn would crash the library."""

    def __init__(self, native: Native, terminal: Any, replies: bytearray) -> None:
        """`replies` is where the terminal's answers are collected."""
        ffi, lib = native.ffi, native.lib
        self._write = lib.ghostty_terminal_vt_write
        self._terminal, self._replies = terminal, replies
        self._pending = ffi.new("bool *")
        self._ground = ffi.new("bool *")
        self._y = ffi.new("uint16_t *")
        self._questions = Questions(
            native,
            terminal,
            [
                (lib.GHOSTTY_TERMINAL_DATA_CURSOR_PENDING_WRAP, self._pending),
                (lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y, self._y),
                (lib.GHOSTTY_TERMINAL_DATA_VT_GROUND, self._ground),
            ],
        )
        self._is_safe = False

    def is_safe(self, piece: bytes, rows: int) -> bool:
        """Return whether no character of a piece is dangerous, since the last of the rows scrolls.

        What the terminal said of that holds until something else than text comes.
        """
        if b"\x1b" in piece:
            self._is_safe = False
        elif not self._is_safe and len(piece) >= _WORTH_ASKING:
            self._is_safe = self.scrolls(rows)
        return self._is_safe

    def look(self) -> tuple[bool, int]:
        """Return whether no sequence has begun, and the row of the cursor."""
        self._questions.ask()
        return bool(self._ground[0]), self._y[0]

    def may_move(self) -> bool:
        """Return whether no sequence has begun, and no character waits to wrap."""
        self._questions.ask()
        return bool(self._ground[0]) and not self._pending[0]

    def is_dangerous(self, rows: int) -> bool:
        """The cursor waits in the last cell to wrap, and the last of the rows does not scroll."""
        self._questions.ask()
        waits = self._pending[0] and self._y[0] == rows - 1
        return bool(waits) and not self.scrolls(rows)

    def scrolls(self, rows: int) -> bool:
        """Return whether no region limits scrolling.

        Within a sequence or a character, which a question would spoil, that cannot be told.
        """
        if not self.look()[0]:
            return False
        before = len(self._replies)
        self._write(self._terminal, _REGION, len(_REGION))
        answer = bytes(self._replies[before:])
        del self._replies[before:]
        return answer == b"\x1bP1$r1;%dr\x1b\\\x1bP0$r\x1b\\" % rows
