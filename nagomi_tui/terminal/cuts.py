"""Where a program's output is cut before a terminal is fed with it.

What it erases is read for the history before, and the judge hears where a shell reads a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

ERASES: Final = re.compile(
    rb"\x1b(?:(?P<reset>c|#8)|\[(?:\??0*(?P<what>[123])J|[1-9][0-9]+T|(?P<hides>\?(?:1049|1047|47)h)"
    rb"|(?:0*1?(?:;0*1?)?[Hf]|0*1?d(?:\r|\x1b\[1?G)?)\x1b\[(?:0?J|[1-9][0-9]+[LM])))"
)
"""What leaves nothing of the screen, or of the lines above it, or shows the other screen."""
DRAWS_OVER: Final = re.compile(
    rb"\x1b(?:\[(?:[0-9;]*+[AFHJLMSTdfkru]|\?[0-9;]*(?:J|3[hl]|6[hl]))|[M8])"
)
"""What moves to rows that stand above, or moves rows or erases them."""
_STEERS: Final = re.compile(rb"\x1b\[[0-9;:]*+[^m]|\x1b[^\[]")
_MOVES_ROWS: Final = re.compile(rb"\x1b(?:[c#]|\[(?:[JLMTr!]|\?[hJ]))")
_MARGINS: Final = re.compile(rb"\x1b(?:\[(?P<top>[0-9]*)(?:;[0-9]*)?r|\[!p|c)")
_LONGEST_BEGUN: Final = 20
_BEGUN: Final = re.compile(
    rb"\x1b(?:#|\[[0-9;?]{0,7}[Hfd]?(?:\r?(?:\x1b\[1?G)?\x1b(?:\[[0-9]{0,4}G?)?)?)?\Z"
)


def steers(data: bytes) -> bool:
    """Tell whether output holds any sequence but colours, which is most of what floods hold."""
    return _STEERS.search(data) is not None


def may_move_rows(data: bytes) -> bool:
    """Tell whether output may hold what `ERASES` finds, or set margins.

    Without their numbers sequences are so short that one look costs a fifth of a search for each.
    """
    return _MOVES_ROWS.search(data.translate(None, b"0123456789;:")) is not None


def scrolls_away(data: bytes, *, did: bool) -> bool:
    """Tell whether margins keep the first row behind output, so that what scrolls is kept nowhere."""
    for found in _MARGINS.finditer(data):
        did = (found["top"] or b"").lstrip(b"0") not in (b"", b"1")
    return did


def begun_at_end(data: bytes, start: int = 0) -> bytes:
    """Return the end of output that may be the beginning of what erases."""
    cut = _BEGUN.search(data, max(start, len(data) - _LONGEST_BEGUN))
    return b"" if cut is None else data[cut.start() :]


_PASTE: Final = b"\x1b[?2004"
_PASTE_MODE: Final = re.compile(rb"\x1b\[\?2004([hl])")
_PASTE_BEGUN: Final = re.compile(rb"\x1b(?:\[(?:\?(?:2(?:0(?:0(?:4)?)?)?)?)?)?\Z")


class Piece(NamedTuple):
    """Output that the terminal is fed in one go, before anybody hears of it."""

    data: bytes
    editor: str = ""
    """`h` where a shell begins to read a line behind it, `l` where it has read one, or neither."""


class LineEditing:
    """Finds in one program's output where a line editor begins to read, and where it has read.

    It goes by bracketed paste, which line editors switch on while they read a line.
    """

    def __init__(self, *, reads: bool = False) -> None:
        self._reads = reads
        self._begun = b""

    def pieces(self, data: bytes) -> Sequence[Piece]:
        """Cut output there: the lines of a turn begin and end where the cursor stands then."""
        if not (self._begun or _may_switch(data)):
            return (Piece(data),)
        switches, begin = self._switches(data), 0
        pieces: list[Piece] = []
        for letter, end in switches:
            pieces.append(Piece(data[begin:end], letter))
            begin = end
        return (*pieces, Piece(data[begin:])) if begin < len(data) or not pieces else pieces

    def _switches(self, data: bytes) -> list[tuple[str, int]]:
        """Return how bracketed paste changes in these bytes, and after which byte of them."""
        before = len(self._begun)
        data, self._begun = self._begun + data, b""
        if cut := _PASTE_BEGUN.search(data, max(0, len(data) - len(_PASTE))):
            data, self._begun = data[: cut.start()], data[cut.start() :]
        switches: list[tuple[str, int]] = []
        if _PASTE not in data:
            return switches
        for found in _PASTE_MODE.finditer(data):
            # Programs also reset at their end what they never set.
            if (found[1] == b"h") is not self._reads:
                self._reads = not self._reads
                switches.append((found[1].decode(), found.end() - before))
        return switches


def _may_switch(data: bytes) -> bool:
    """Return whether bracketed paste is switched in it, or perhaps by a sequence cut at its end."""
    if b"\x1b" not in data:
        return False
    # One byte that is rare is found in a fraction of the time that several take.
    return (b"?" in data and _PASTE in data) or b"\x1b" in data[-len(_PASTE) :]
