"""What each key does in copy mode: as in vi, and the arrows and pages beside it."""

from __future__ import annotations

from typing import Final

KEYS: Final = {
    "h": "left", "left": "left", "backspace": "left",
    "j": "down", "down": "down", "ctrl+n": "down",
    "k": "up", "up": "up", "ctrl+p": "up",
    "l": "right", "right": "right", "space": "right",
    "w": "word_next", "b": "word_previous", "e": "word_end",
    "ctrl+right": "word_next", "ctrl+left": "word_previous",
    "0": "line_start", "home": "line_start", "^": "line_text", "$": "line_end", "end": "line_end",
    "g": "first", "ctrl+home": "first", "G": "last", "ctrl+end": "last",
    "ctrl+u": "half_up", "ctrl+d": "half_down",
    "pageup": "page_up", "ctrl+b": "page_up", "pagedown": "page_down", "ctrl+f": "page_down",
    "shift+pageup": "page_up", "shift+pagedown": "page_down",
    "H": "top", "M": "middle", "L": "bottom",
    "{": "paragraph_up", "}": "paragraph_down",
    "v": "select", "V": "select_lines", "ctrl+v": "select_block",
    "o": "other_end_or_open", "y": "copy", "enter": "copy_or_open",
    "/": "search_down", "?": "search_up", "n": "next", "N": "previous", "*": "search_word",
    "q": "leave", "escape": "give_up", "i": "leave", "ctrl+c": "leave",
}  # fmt: skip
"""What each key does, by the character that it types or by its name."""


def command(key: str, character: str | None) -> str:
    """Return what a key does, or ""."""
    return KEYS.get(character or "", "") or KEYS.get(key, "")
