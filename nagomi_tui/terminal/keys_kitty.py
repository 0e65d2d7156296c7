"""Keys for a child that asked for the kitty keyboard protocol."""

from __future__ import annotations

from typing import Final

from nagomi_tui.core.text.key_names import ALT, CTRL, SHIFT, SUPER
from nagomi_tui.terminal.key_tables import CONTROLS, KEYPAD, KITTY, LETTERS, NUMBERS

_EVENTS: Final = 2
ALTERNATES: Final = 4
"""The flag by which a child asks for the shifted key, and for that of a US layout."""
_ALL: Final = 8
_TEXT: Final = 16
_ACTIONS: Final = {"press": 1, "repeat": 2, "release": 3}


def encode_kitty(key: str, mods: int, text: str, action: str, flags: int, base: str = "") -> bytes:
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
    if key == "kp_enter" or mods & (CTRL | ALT | SUPER):
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
    if flags & _TEXT and event < 3 and not mods & (CTRL | ALT | SUPER):
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
