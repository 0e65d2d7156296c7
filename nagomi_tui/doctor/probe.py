"""Asks the outer terminal what it can, and reads the answers before anyone else does."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS: Final = 2.0
"""Long enough for a slow line; a terminal that answers at all ends the wait itself."""

_QUESTIONS: Final = b"\x1b[?u\x1b[?2026$p"
SAMPLES: Final = {
    "wide": "あ漢",
    "ambiguous": "○●◆▲…",
    "blocks": "▀▄█▌",
    "lines": "─│╭╯",
    "face": "(˘ω˘)",
    "kana": "か\u3099",
    "emoji": "\U0001f375",
    "emoji_sign": "⚠\ufe0f",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flag": "\U0001f1ef\U0001f1f5",
}
"""What is shown for a moment to see how many cells it takes."""
_LAST: Final = b"\x1b[c"
"""Every terminal answers this one, so its answer ends the others'."""


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the terminal answered; without `answered` nothing is known."""

    answered: bool = False
    kitty_keys: bool = False
    synchronized: bool = False
    widths: dict[str, int] = {}
    """Cells that each of `SAMPLES` took; empty where the terminal did not tell."""


def ask() -> Abilities:
    """Ask the terminal that stdin and this process belong to."""
    if sys.platform == "win32" or sys.stdin is None or not sys.stdin.isatty():
        return Abilities()
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return Abilities()
    try:
        return _read(_converse(terminal))
    finally:
        os.close(terminal)


def _converse(terminal: int) -> bytes:
    """Put the questions and return what came back; each text stands at the line's start."""
    written = b"".join(f"\r\x1b[K{text}\x1b[6n".encode() for text in SAMPLES.values())
    with _raw(terminal):
        os.write(terminal, _QUESTIONS + written + b"\r\x1b[K" + _LAST)
        return _until_last(terminal)


@contextmanager
def _raw(terminal: int) -> Iterator[None]:
    if sys.platform == "win32":
        raise AssertionError
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    tty.setraw(terminal)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)


def _until_last(terminal: int) -> bytes:
    answers = b""
    deadline = time.monotonic() + _SECONDS
    while not re.search(rb"\x1b\[\?[\d;]*c", answers):
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            break
        answers += os.read(terminal, 4096)
    return answers


def _read(answers: bytes) -> Abilities:
    """Take the answers apart; a position report gives a width, one more than it."""
    columns = [int(column) - 1 for column in re.findall(rb"\x1b\[\d+;(\d+)R", answers)]
    known = columns if len(columns) == len(SAMPLES) else []
    return Abilities(
        answered=bool(re.search(rb"\x1b\[\?[\d;]*c", answers)),
        kitty_keys=bool(re.search(rb"\x1b\[\?\d+u", answers)),
        synchronized=bool(re.search(rb"\x1b\[\?2026;[1-3]\$y", answers)),
        widths=dict(zip(SAMPLES, known, strict=False)),
    )
