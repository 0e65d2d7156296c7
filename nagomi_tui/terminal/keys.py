"""A pressed key → the bytes that the child expects in its modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.text.key_names import ALT, CTRL, SHIFT, SUPER, by_place, parse_key
from nagomi_tui.terminal.key_tables import (
    CONTROLS,
    CTRL_OTHERS,
    KEYPAD,
    KEYPAD_LETTERS,
    LETTERS,
    NUMBERS,
)
from nagomi_tui.terminal.keys_kitty import ALTERNATES, encode_kitty

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import Modes

__all__ = ["ALT", "CTRL", "SHIFT", "SUPER", "encode_key", "parse_key"]

_CURSOR_KEYS: Final = ("up", "down", "left", "right", "home", "end")
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
    is Enter, Ctrl+I is Tab, Ctrl+Shift+A is Ctrl+A.
    """
    if len(key) == 1 and key.isupper() and len(key.lower()) == 1:
        key, mods, text = key.lower(), mods | SHIFT, text or key
    if not text and not mods & (CTRL | ALT | SUPER):
        text = _typed(key, mods)
    if mods & (CTRL | ALT | SUPER) and not modes.kitty_flags & ALTERNATES:
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
