"""Keeps a fault of the native library away: marks and joiners that crash it in one corner.

What joins a cluster can make it wide. In the last cell of the last row the cluster then wraps, and
where a scroll region above keeps that row from scrolling, this release writes beyond the screen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from unicodedata import category, combining

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.terminal.ghostty_native import Native

_HEADS: Final = (
    b"\xe0", b"\xe1", b"\xea", b"\xf0\x91", b"\xf0\x96", b"\xf0\x9d",
    b"\xe2\x80\x8d", b"\xe3\x80\xae", b"\xe3\x80\xaf",
)  # fmt: skip
"""How such characters begin in UTF-8, and not much else."""
_VIRAMA: Final = 9
"""Combining class of marks that join two letters."""
_CANDIDATES: Final = re.compile(
    rb"(?:[\xe0\xe1\xea]|\xf0[\x91\x96\x9d]|\xe2(?=\x80\x8d)|\xe3(?=\x80[\xae\xaf]))[\x80-\xbf]{2}"
)


def joiners(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where what widens clusters begins and ends; quick where there is nothing of it.

    It is spacing marks and viramas, as in Hindi, and the zero-width joiner of emoji.
    """
    if data.isascii() or not any(head in data for head in _HEADS):
        return
    for found in _CANDIDATES.finditer(data):
        text = found[0].decode("utf-8", "replace")
        if len(text) == 1 and _joins(text):
            yield found.span()


def _joins(char: str) -> bool:
    return char == "\u200d" or category(char) == "Mc" or combining(char) == _VIRAMA


class Corner:
    """Tells whether the last cell of the last row was just written."""

    def __init__(self, native: Native, terminal: Any) -> None:
        self._native, self._terminal = native, terminal
        ffi, lib = native.ffi, native.lib
        self._pending = ffi.new("bool *")
        self._y = ffi.new("uint16_t *")
        self._keys = ffi.new(
            "GhosttyTerminalData[]",
            [lib.GHOSTTY_TERMINAL_DATA_CURSOR_PENDING_WRAP, lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y],
        )
        self._values = ffi.new("void *[]", [self._pending, self._y])
        self._written = ffi.new("size_t *")

    def reached(self, rows: int) -> bool:
        """The cursor waits there to wrap, on a screen of so many rows."""
        self._native.lib.ghostty_terminal_get_multi(
            self._terminal, 2, self._keys, self._values, self._written
        )
        return bool(self._pending[0]) and self._y[0] == rows - 1
