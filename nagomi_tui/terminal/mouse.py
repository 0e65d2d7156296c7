"""Encodes mouse, focus and paste as the child has asked for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.text.rows import CELL_PIXELS

if TYPE_CHECKING:
    from nagomi_tui.text.rows import Modes

SHIFT: Final = 1
ALT: Final = 2
CTRL: Final = 4

NO_BUTTON: Final = 3
WHEEL_UP: Final = 4
WHEEL_DOWN: Final = 5
_WHEELS: Final = (WHEEL_UP, WHEEL_DOWN)
_WHEEL_LINES: Final = 3
_X10: Final = 9
_DRAGS: Final = 1002
_EVERYTHING: Final = 1003
_LAST_OLD: Final = 222
"""The last column and row that the old one-byte form can tell (counted from 0)."""


def encode_mouse(x: int, y: int, button: int, action: str, mods: int, modes: Modes) -> bytes:
    """Return the report, or nothing where the child did not ask for it.

    `x` and `y` count cells from 0; `button` is 0 left, 1 middle, 2 right, 3 none, 4 wheel up,
    5 wheel down, then the further ones; `action` is `press`, `release` or `move`; `mods` adds
    shift 1, alt 2, ctrl 4.
    """
    if not modes.mouse:
        return _as_arrows(button, action, modes)
    if x < 0 or y < 0 or not _asked(button, action, modes.mouse):
        return b""
    code = _code(button, action, modes)
    if modes.mouse != _X10:
        code += 4 * bool(mods & SHIFT) + 8 * bool(mods & ALT) + 16 * bool(mods & CTRL)
    if modes.mouse_pixels:
        # The middle of the cell, as nothing finer is known.
        x, y = (at * size + size // 2 for at, size in zip((x, y), CELL_PIXELS, strict=True))
    if modes.mouse_sgr or modes.mouse_pixels:
        return b"\x1b[<%d;%d;%d%c" % (code, x + 1, y + 1, b"m" if action == "release" else b"M")
    if x > _LAST_OLD or y > _LAST_OLD or code > _LAST_OLD:
        return b""
    return b"\x1b[M" + bytes((code + 32, x + 33, y + 33))


def encode_focus(gained: bool, modes: Modes) -> bytes:
    """Return the focus report, where the child asked for it (mode 1004)."""
    if not modes.focus_events:
        return b""
    return b"\x1b[I" if gained else b"\x1b[O"


def _asked(button: int, action: str, mode: int) -> bool:
    """Return whether the child hears of this at all."""
    if action == "press":
        return button != NO_BUTTON and (mode != _X10 or button < NO_BUTTON)
    if action == "release":
        return mode != _X10 and button not in _WHEELS
    return mode == _EVERYTHING or (mode == _DRAGS and button != NO_BUTTON)


def _code(button: int, action: str, modes: Modes) -> int:
    """Return the button's number on the wire, without the modifiers."""
    if action == "release" and not (modes.mouse_sgr or modes.mouse_pixels):
        return 3
    code = button
    if 4 <= button < 8:
        code = 64 + button - 4
    elif button >= 8:
        code = 128 + button - 8
    return code + 32 * (action == "move")


def _as_arrows(button: int, action: str, modes: Modes) -> bytes:
    """Return arrow keys for the wheel, on the alternate screen of a child without mouse."""
    if not (modes.alt_screen and modes.alternate_scroll):
        return b""
    if button not in _WHEELS or action != "press":
        return b""
    arrow = b"A" if button == WHEEL_UP else b"B"
    return (b"\x1bO" if modes.app_cursor else b"\x1b[").join([b"", *[arrow] * _WHEEL_LINES])


_START: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_MARKS: Final = re.compile("(?:\x1b\\[|\x9b)20[01]~")
_ACTING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NEWLINE: Final = re.compile("\r\n?|\n")


def encode_paste(text: str, bracketed: bool) -> str:
    """Return the text to type; bracketed where the child asked for mode 2004.

    Marks inside the text are taken out, whole, before other control characters become
    spaces: what is left of a mark can then not be put together again. Without brackets a
    newline is Enter, as terminals have it.
    """
    while _MARKS.search(text):
        text = _MARKS.sub("", text)
    text = _ACTING.sub(" ", text)
    if bracketed:
        return f"{_START}{text}{_END}"
    return _NEWLINE.sub("\r", text)
