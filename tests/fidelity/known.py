"""What we show otherwise than tmux, each with a smallest example and the reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Difference(NamedTuple):
    """One known difference."""

    name: str
    reason: str
    example: bytes
    """Shown differently by both; the suite holds that it still is."""
    sign: Callable[[bytes], bool]
    """Tells whether a smallest stream shows this difference."""
    takes: Callable[[bytes], bool]
    """Tells whether a piece is left out to look for what stands behind."""


def _has(pattern: bytes) -> Callable[[bytes], bool]:
    compiled = re.compile(pattern, re.DOTALL)
    return lambda data: compiled.search(data) is not None


def _undecodable(data: bytes) -> bool:
    try:
        return not data.decode().isprintable() and _C1(data)
    except UnicodeDecodeError:
        return True


_C1 = _has(rb"\xc2[\x80-\x9f]")


def _of(name: str, reason: str, example: bytes, sign: bytes, takes: bytes = b"") -> Difference:
    return Difference(name, reason, example, _has(sign), _has(takes or sign))


PENDING: Final = Difference(
    "what follows a full last column",
    "A character in the last column leaves the cursor on it with a wrap pending (VT100, xterm); "
    "tmux has it on a column 61, so that BS, CUB, EL, ECH, LF and others start from elsewhere.",
    b"\x1b[60Gx\x1b[K",
    lambda _: False,
    lambda _: False,
)
HALF: Final = Difference(
    "the second half of a wide character",
    "What is written or erased there takes the whole character away, as in xterm; tmux leaves "
    "its first half standing.",
    "日\bx".encode(),
    lambda _: False,
    lambda _: False,
)
CROWDED: Final = Difference(
    "a wide character that does not fit the last column",
    "It leaves a blank in that column; tmux leaves what stood there.",
    "\x1b[60Gb\x1b[60G日".encode(),
    lambda _: False,
    lambda _: False,
)
BY_PLACE: Final = (PENDING, HALF, CROWDED)
"""Recognised by where the cursor is, not by a pattern."""

KNOWN: Final[tuple[Difference, ...]] = (
    Difference(
        "bytes that are no UTF-8",
        "A worker's text has U+FFFD for them, one cell each; tmux drops them.",
        b"a\xffb",
        _undecodable,
        _undecodable,
    ),
    _of(
        "IL and DL take the cursor to the first column",
        "So do VT510 and xterm; tmux leaves it where it is.",
        b"abc\x1b[L",
        rb"\x1b\[\d*[LM]",
    ),
    _of(
        "HPR, VPR and CHT move the cursor",
        "tmux knows none of the three (ECMA-48 8.3.57, 8.3.160, 8.3.10).",
        b"\x1b[3a",
        rb"\x1b\[\d*[aeI]",
    ),
    _of(
        "REP repeats the last character",
        "tmux forgets it at any control function in between, where ECMA-48 defines nothing.",
        b"a\x1b[K\x1b[2b",
        rb"\x1b\[\d*b",
    ),
    _of(
        "origin mode",
        "Home is the region's top, also after DECSTBM, and CPR counts from there, as in xterm; "
        "tmux homes to the screen's top and counts from it.",
        b"\x1b[?6h\x1b[3;9rx",
        rb"\x1b\[\?6[hl]",
    ),
    _of(
        "?1049h on the alternate screen clears it again",
        "libghostty-vt does; xterm and tmux clear it only when they come from the primary one.",
        b"\x1b[?1049hx\x1b[?1049h",
        rb"\x1b\[\?1049h.*\x1b\[\?1049h",
        rb"\x1b\[\?1049h",
    ),
    _of(
        "line drawing characters",
        "tmux keeps the letters of the DEC special set, and a plain capture prints those.",
        b"\x1b(0qx",
        rb"\x1b\(0",
    ),
    _of(
        "insert mode where a line wraps",
        "The first character of the next row is put in like any other; tmux overwrites one.",
        b"\x1b[2;1Hold\x1b[4h\x1b[1;60Hxyz",
        rb"\x1b\[4h",
    ),
    _of(
        "the last column without autowrap",
        "A wrap is pending there also while DECAWM is off, and comes when it is put on (xterm); "
        "in tmux it never was. A wide character that does not fit is left out by us.",
        b"\x1b[?7l\x1b[60Gab\x1b[?7hc",
        rb"\x1b\[\?7l",
        rb"\x1b\[\?7[hl]",
    ),
    _of(
        "RIS on the alternate screen",
        "It goes back to the primary one, as in xterm; tmux stays on the alternate one.",
        b"\x1b[?1049h\x1bcx\x1b[?1049l",
        rb"\?1049h.*\x1bc",
        rb"\x1bc",
    ),
    _of(
        "?1049l on the primary screen",
        "It restores the cursor that DECSC saved, as in xterm; tmux has a saved one for this mode.",
        b"\x1b[9d\x1b7\x1b[?1049l",
        rb"\A(?!.*\?1049h).*\?1049l",
        rb"\?1049l",
    ),
    _of(
        "text other than ASCII in SOS, PM, APC and DCS",
        "libghostty-vt takes a byte from 0x80 to 0x9f there for a C1 control, which ends the "
        "string; the rest of the character is shown as U+FFFD.",
        "\x1bX日\x1b\\".encode(),
        rb"\x1b[X^_P][^\x1b]*[\x80-\x9f]",
        rb"\x1b[X^_P]",
    ),
)
