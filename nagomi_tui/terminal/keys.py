"""Encodes a pressed key, the mouse, the focus and a paste as the bytes that the child expects.

Keys are told in the legacy or the kitty protocol. The legacy ones are xterm's (ctlseqs, "PC-Style Function Keys"); the others are the code points
of the kitty keyboard protocol.
"""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.text.key_names import ALT, CTRL, HYPER, SHIFT, SUPER, by_place, parse_key
from nagomi_tui.text.rows import CELL_PIXELS, Modes

LETTERS: Final = {
    "up": "A", "down": "B", "right": "C", "left": "D", "kp_begin": "E", "home": "H", "end": "F",
    "f1": "P", "f2": "Q", "f3": "R", "f4": "S",
}  # fmt: skip
"""Final letter of `CSI 1 ; mods letter`."""

NUMBERS: Final = {
    "insert": 2, "delete": 3, "pageup": 5, "pagedown": 6, "menu": 29,
    "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23, "f12": 24,
}  # fmt: skip
"""Number of `CSI number ; mods ~`."""

CONTROLS: Final = {"enter": 13, "tab": 9, "escape": 27, "backspace": 127, "space": 32}
"""Keys that stand for one byte."""

KEYPAD: Final = {
    **{f"kp_{digit}": str(digit) for digit in range(10)},
    "kp_decimal": ".", "kp_divide": "/", "kp_multiply": "*", "kp_subtract": "-", "kp_add": "+",
    "kp_enter": "\r", "kp_equal": "=", "kp_separator": ",",
}  # fmt: skip
"""What a keypad key types."""

KEYPAD_LETTERS: Final = {
    **{f"kp_{digit}": "pqrstuvwxy"[digit] for digit in range(10)},
    "kp_decimal": "n", "kp_divide": "o", "kp_multiply": "j", "kp_subtract": "m", "kp_add": "k",
    "kp_enter": "M", "kp_equal": "X", "kp_separator": "l",
}  # fmt: skip
"""Final letter of `SS3 letter` in the application keypad mode."""

KITTY: Final = {
    "capslock": 57358, "scrolllock": 57359, "numlock": 57360, "printscreen": 57361,
    "pause": 57362, "menu": 57363,
    **{f"f{number}": 57363 + number for number in range(13, 25)},
    **{f"kp_{digit}": 57399 + digit for digit in range(10)},
    "kp_decimal": 57409, "kp_divide": 57410, "kp_multiply": 57411, "kp_subtract": 57412,
    "kp_add": 57413, "kp_enter": 57414, "kp_equal": 57415, "kp_separator": 57416,
}  # fmt: skip
"""Code point of `CSI code ; mods u` for keys that type nothing."""

CTRL_OTHERS: Final = {
    " ": 0, "@": 0, "2": 0, "[": 27, "3": 27, "{": 27, "\\": 28, "4": 28, "|": 28, "]": 29,
    "5": 29, "}": 29, "^": 30, "6": 30, "~": 30, "_": 31, "7": 31, "/": 31, "-": 31, "?": 127,
    "8": 127,
}  # fmt: skip
"""The control character of Ctrl with a key that is no letter, as xterm has them."""

_EVENTS: Final = 2
ALTERNATES: Final = 4
"""The flag by which a child asks for the shifted key, and for that of a US layout."""
_ALL: Final = 8
_TEXT: Final = 16
_ACTIONS: Final = {"press": 1, "repeat": 2, "release": 3}


def encode_kitty(key: str, mods: int, text: str, action: str, flags: int, base: str) -> bytes:
    """Return the key as `flags` (disambiguate 1, events 2, alternates 4, all 8, text 16) ask."""
    event = _ACTIONS.get(action, 1) if flags & _EVENTS else 1
    if action == "release" and event == 1:
        return b""
    if key in LETTERS or key in NUMBERS and key != "menu":
        return _functional(key, mods, event)
    plain = _plain(key, mods, text, flags)
    if plain is not None:
        return (
            b""
            if event == 3 and _silent(key, flags)
            else plain
            if event < 3
            else _u(key, mods, "", event, flags, base)
        )
    return _u(key, mods, text, event, flags, base)


def _functional(key: str, mods: int, event: int) -> bytes:
    """Return a cursor or function key, which keeps its old letter or number."""
    extra = _modifiers(mods, event)
    if key == "f3":  # its letter would look like a cursor position report
        return f"\x1b[13{extra and ';' + extra}~".encode()
    if key in LETTERS:
        return f"\x1b[{'1;' + extra if extra else ''}{LETTERS[key]}".encode()
    return f"\x1b[{NUMBERS[key]}{extra and ';' + extra}~".encode()


def _plain(key: str, mods: int, text: str, flags: int) -> bytes | None:
    """Return the bytes of a key that is still sent as in the old days, or None."""
    if flags & _ALL:
        return None
    if key in ("enter", "tab", "backspace"):
        return bytes((CONTROLS[key],)) if not mods else None
    if key == "kp_enter" or mods & ~SHIFT:
        return None
    if key in KEYPAD:
        return KEYPAD[key].encode()
    return text.encode("utf-8", "replace") if text else None


def _silent(key: str, flags: int) -> bool:
    """Return whether the release of a key that is sent as text goes untold."""
    return key in ("enter", "tab", "backspace") and not flags & _ALL


def _u(key: str, mods: int, text: str, event: int, flags: int, base: str) -> bytes:
    code = CONTROLS.get(key) or KITTY.get(key) or (ord(key) if len(key) == 1 else 0)
    if not code:
        return text.encode("utf-8", "replace") if event < 3 else b""
    codes = str(code)
    if flags & ALTERNATES and len(key) == 1:
        shifted = (ord(text) if len(text) == 1 else ord(key.upper()[0])) if mods & SHIFT else code
        place = f":{ord(base)}" if len(base) == 1 and base != key else ""
        upper = f":{shifted}" if shifted != code else ":" if place else ""
        codes += upper + place
    extra = _modifiers(mods, event)
    told = ""
    if flags & _TEXT and event < 3 and not mods & ~SHIFT:
        typed = text or KEYPAD.get(key, "")
        told = ":".join(str(ord(char)) for char in typed if char.isprintable())
    if told:
        return f"\x1b[{codes};{extra};{told}u".encode()
    return f"\x1b[{codes}{extra and ';' + extra}u".encode()


def _modifiers(mods: int, event: int) -> str:
    """Return the second field: the modifiers, and what happened unless it was a press."""
    if event != 1:
        return f"{1 + mods}:{event}"
    return str(1 + mods) if mods else ""


__all__ = ["ALT", "CTRL", "SHIFT", "SUPER", "encode_key", "parse_key"]

_CURSOR_KEYS: Final = ("up", "down", "left", "right", "kp_begin", "home", "end")
_SIMPLE: Final = ("enter", "tab", "backspace", "escape")


def encode_key(
    key: str, mods: int, text: str, action: str, modes: Modes, *, base: str = ""
) -> bytes:
    """Return what to type into a child that has asked for `modes`.

    `key` is a name of `key_names.NAMES` or the character that the key types alone; `text` is
    what it types now, where the terminal told it. `action` is `press`, `repeat` or `release`.
    `base` is what a US layout has at its place, if that is another key. A shortcut with a key that
    has no Latin letter is told by it, so that Ctrl+C is that in any layout; a child that asked for
    alternate keys gets both.
    A child that asked for nothing gets no sequence that plain shells print as junk: Shift+Enter
    is Enter, Ctrl+I is Tab, Ctrl+Shift+A is Ctrl+A. Super and Hyper make no text: Super+C types no C.
    """
    if len(key) == 1 and key.isupper() and len(key.lower()) == 1:
        key, mods, text = key.lower(), mods | SHIFT, text or key
    if not text and not mods & ~SHIFT:
        text = _typed(key, mods)
    if mods & ~SHIFT and not modes.kitty_flags & ALTERNATES:
        key, text = by_place(key, mods, text, base)
    if modes.kitty_flags:
        return encode_kitty(key, mods, text, action, modes.kitty_flags, base)
    if action == "release":
        return b""
    if modes.modify_other_keys:
        told = _told_apart(key, mods, text, modes.modify_other_keys)
        if told:
            return told
    return _legacy(key, mods, text, modes)


def _typed(key: str, mods: int) -> str:
    """Return what a key types by itself, where nobody told it."""
    if key == "space":
        return " "
    if len(key) != 1:
        return ""
    return key.upper() if mods & SHIFT else key


def _legacy(key: str, mods: int, text: str, modes: Modes) -> bytes:
    special = _special(key, mods, modes)
    if special:
        return special
    if mods & (SUPER | HYPER):
        return b""
    escape = b"\x1b" if mods & ALT else b""
    if key in CONTROLS and key != "space":
        return escape + _simple(key, mods)
    if key in KEYPAD:
        return escape + KEYPAD[key].encode()
    if mods & CTRL:
        return escape + _control(key, text if mods & SHIFT else "")
    char = text or (" " if key == "space" else key)
    if len(key) > 1 and not text and key != "space":
        return b""
    if mods & SHIFT and char == key:
        char = char.upper()
    return escape + char.encode("utf-8", "replace")


def _special(key: str, mods: int, modes: Modes) -> bytes:
    """Return the sequence of a cursor, function or application keypad key."""
    if key in KEYPAD_LETTERS and modes.app_keypad:
        return f"\x1bO{1 + mods if mods else ''}{KEYPAD_LETTERS[key]}".encode()
    if key.startswith("f") and key[1:].isdigit() and int(key[1:]) > 12:
        # As terminfo has it: F13 to F24 are Shift with F1 to F12.
        key, mods = f"f{int(key[1:]) - 12}", mods | SHIFT
    if key in LETTERS:
        if mods:
            return f"\x1b[1;{1 + mods}{LETTERS[key]}".encode()
        ss3 = key not in _CURSOR_KEYS or modes.app_cursor
        return f"\x1b{'O' if ss3 else '['}{LETTERS[key]}".encode()
    if key in NUMBERS:
        return f"\x1b[{NUMBERS[key]}{f';{1 + mods}' if mods else ''}~".encode()
    return b""


def _simple(key: str, mods: int) -> bytes:
    if key == "tab" and mods & SHIFT:
        return b"\x1b[Z"
    if key == "backspace" and mods & CTRL:
        return b"\x08"
    return bytes((CONTROLS[key],))


def _control(key: str, shifted: str) -> bytes:
    """Return Ctrl with a key that types something."""
    char = " " if key == "space" else key
    char = shifted if shifted in ("?", "_", "^", "@") else char
    if len(char) != 1:
        return b""
    if "a" <= char <= "z":
        return bytes((ord(char) & 31,))
    if char in CTRL_OTHERS:
        return bytes((CTRL_OTHERS[char],))
    return char.encode("utf-8", "replace")


def _told_apart(key: str, mods: int, text: str, level: int) -> bytes:
    """Return xterm's `CSI 27 ; mods ; code ~` where modifyOtherKeys asks for it."""
    if not mods or not (key in CONTROLS or len(key) == 1):
        return b""
    code = CONTROLS.get(key) or ord(key)
    if mods == SHIFT and key not in _SIMPLE:
        return b""  # Shift is already in the text
    if level == 1 and _well_known(key, mods):
        return b""
    if mods & SHIFT and len(key) == 1:
        code = ord(text) if len(text) == 1 else ord(key.upper()[0])
    return f"\x1b[27;{1 + mods};{code}~".encode()


def _well_known(key: str, mods: int) -> bool:
    """Return whether the legacy form already tells this combination (level 1 leaves it)."""
    if key in ("backspace", "escape", "space"):
        return True
    if key == "tab" and mods == SHIFT:
        return True
    if mods & ~(ALT | SHIFT) == 0:
        return key not in ("enter", "tab") or mods == ALT
    return len(key) == 1 and mods & ~(CTRL | ALT) == 0 and ("a" <= key <= "z" or key in CTRL_OTHERS)


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
    5 wheel down, 6 and 7 wheel to the sides, then the further ones; `action` is `press`, `release` or `move`; `mods` adds
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
