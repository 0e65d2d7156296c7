"""Streams of terminal output from a seed, as lists of pieces; a piece can be left out."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from tests.fidelity.peers import COLS, ROWS

if TYPE_CHECKING:
    from collections.abc import Callable

Pieces: TypeAlias = list[bytes]

RECORDINGS: Final = Path(__file__).with_name("recordings")
_WORDS: Final = [
    "the",
    "quick",
    "fox",
    "jumps",
    "over",
    "main.rs",
    "line",
    "42",
    "warning:",
    "unused",
    "value",
    "in",
    "build",
]
_WIDE: Final = "日本語の端末では全角文字が二桁中文字符宽度한국어문자폭"
_EMOJI: Final = "😀🚀🔥✅☕🐍🎉💻"
_LINES: Final = "─│┌┐└┘├┤█▓▒░→←↑↓⠋⠙"
_PIECE: Final = re.compile(
    rb"\x1b\[[0-9;:?<>=! ]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()].|\x1b[^\[\]]"
    rb"|[\x00-\x1a\x1c-\x1f]|[^\x00-\x1f\x1b]+|\x1b",
    re.DOTALL,
)


class Dice(random.Random):
    """Chooses pieces of output."""

    def sgr(self) -> bytes:
        codes = ("0", "1", "7", "31", "42", "4", "38;5;20", "48;2;1;2;3", "")
        return f"\x1b[{self.choice(codes)}m".encode()

    def words(self, most: int = 8) -> bytes:
        return " ".join(self.choices(_WORDS, k=self.randrange(1, most))).encode()

    def wide(self) -> bytes:
        chars = self.choice((_WIDE, _WIDE, _EMOJI, _LINES, "abc 12"))
        return "".join(self.choices(chars, k=self.randrange(1, 12))).encode()

    def text(self) -> bytes:
        return self.words() if self.random() < 0.6 else self.wide()

    def place(self) -> bytes:
        return b"\x1b[%d;%dH" % (self.randrange(1, ROWS + 2), self.randrange(1, COLS + 2))

    def count(self) -> bytes:
        return self.choice((b"", b"1", b"2", b"3", b"5", b"17", b"99"))

    def csi(self, finals: bytes) -> bytes:
        return b"\x1b[" + self.count() + bytes([self.choice(finals)])

    def region(self) -> bytes:
        top = self.randrange(1, ROWS)
        return b"\x1b[%d;%dr" % (top, self.randrange(top + 1, ROWS + 1))

    def erase(self) -> bytes:
        return b"\x1b[%c%c" % (self.choice(b"012"), self.choice(b"JK"))


def log(dice: Dice) -> Pieces:
    """Return coloured lines, some of them longer than the screen is wide."""
    made: Pieces = []
    for _ in range(60):
        made += [dice.sgr(), dice.words(20), b"\x1b[m", b"\r\n"]
    return made


def wide(dice: Dice) -> Pieces:
    """Return CJK text, emoji and box drawing that wraps, with overwriting in between."""
    made: Pieces = []
    for _ in range(60):
        made += [dice.wide(), dice.choice((b"", b" ", b"\r\n", b"\r", b"\b", dice.place()))]
    return made


def redraw(dice: Dice) -> Pieces:
    """Return full-screen programs' frames on the alternate screen."""
    made: Pieces = [b"\x1b[?1049h", b"\x1b[2J"]
    for _ in range(4):
        for y in range(1, ROWS + 1):
            made += [b"\x1b[%d;1H" % y, dice.sgr(), dice.text(), b"\x1b[m", b"\x1b[K"]
    if dice.random() < 0.3:
        made += [b"\x1b[?1049l", dice.words()]
    return made


def regions(dice: Dice) -> Pieces:
    """Return scrolling within regions, by line feeds, indexes, and lines put in and out."""
    made: Pieces = []
    for _ in range(80):
        kind = dice.choice(
            (dice.text, dice.region, dice.place, lambda: b"\r\n", lambda: dice.csi(b"LMST"),
             lambda: dice.choice((b"\x1bM", b"\x1bD", b"\x1bE", b"\x1b[r")))
        )  # fmt: skip
        made.append(kind())
    return made


def motion(dice: Dice) -> Pieces:
    """Return cursor motions with a mark left at each place."""
    made: Pieces = []
    for _ in range(120):
        move = dice.choice((b"\x1b7", b"\x1b8", b"\r", b"\n", b"\b", dice.csi(b"ABCDEFGd`ae")))
        made += [move, dice.choice((b"x", "日".encode(), b"", dice.place()))]
    return made


def tabs(dice: Dice) -> Pieces:
    """Return tabs, with stops set and cleared."""
    kinds = (b"\t", b"\t", b"\x1bH", b"\x1b[3g", b"\x1b[0g", b"\x1b[2I", b"\x1b[Z", b"\r\n")
    made: Pieces = []
    for _ in range(80):
        made += [dice.choice(kinds), dice.choice((b"x", b"", b"word", dice.place()))]
    return made


def wraps(dice: Dice) -> Pieces:
    """Return text that stops at the last column, and what may come just there."""
    made: Pieces = []
    for _ in range(50):
        made += [
            b"\x1b[%dG" % dice.randrange(COLS - 4, COLS + 1),
            b"abcdef"[: dice.randrange(1, 7)],
            dice.choice((b"", b"\r", b"\b", b"\n", b"\x1b[K", b"\x1b[X", "日".encode(), b"\x1b[A")),
            dice.choice((b"z", b"", b"\x1b[?7l", b"\x1b[?7h", b"\x1b[?7h")),
        ]
    return made


def erases(dice: Dice) -> Pieces:
    """Return a full screen of text and wide characters with holes put into it."""
    made: Pieces = []
    for y in range(1, ROWS + 1):
        made += [b"\x1b[%d;1H" % y, dice.text(), dice.text()]
    for _ in range(60):
        made += [dice.sgr(), dice.place(), dice.choice((dice.erase(), dice.csi(b"@PXLM")))]
    return made


def soup(dice: Dice) -> Pieces:
    """Return any of this in any order, with modes and character sets switched."""
    switches = (
        b"\x1b[4h", b"\x1b[4l", b"\x1b[?7l", b"\x1b[?7h", b"\x1b[?6h", b"\x1b[?6l", b"\x1b[?1049h",
        b"\x1b[?1049l", b"\x1b(0", b"\x1b(B", b"\x1b7", b"\x1b8", b"\x1b[r", b"\x1b[?25l", b"\x1bc",
    )  # fmt: skip
    kinds: tuple[Callable[[], bytes], ...] = (
        dice.text, dice.text, dice.text, dice.sgr, dice.place, dice.erase, dice.region,
        lambda: dice.csi(b"ABCDEFGd`@PXLMSTIZb"), lambda: dice.choice(switches),
        lambda: dice.choice((b"\r\n", b"\r", b"\n", b"\b", b"\t", b"\x1bM", b"\x1bD", b"\x1bE")),
    )  # fmt: skip
    return [dice.choice(kinds)() for _ in range(100)]


def recorded(dice: Dice) -> Pieces:
    """Return a recording from its start up to anywhere."""
    path = dice.choice(sorted(RECORDINGS.glob("*.bin")))
    pieces = _PIECE.findall(path.read_bytes())
    return pieces[: dice.randrange(len(pieces) // 4, len(pieces))]


def fuzz(dice: Dice) -> Pieces:
    """Return another stream with bytes changed, lost and doubled."""
    made = dice.choice((log, wide, redraw, regions, motion, erases, soup))(dice)
    for _ in range(dice.randrange(1, 8)):
        at = dice.randrange(len(made))
        piece = bytearray(made[at] or b"x")
        where = dice.randrange(len(piece))
        piece[where : where + dice.randrange(2)] = bytes([dice.randrange(256)])
        made[at] = bytes(piece)
    return made


KINDS: Final[dict[str, Callable[[Dice], Pieces]]] = {
    made.__name__: made
    for made in (log, wide, redraw, regions, motion, tabs, wraps, erases, soup, recorded, fuzz)
}


def stream(kind: str, seed: int) -> Pieces:
    """Return the stream of a kind that belongs to a seed."""
    return KINDS[kind](Dice(f"{kind}-{seed}"))
