"""The numbers and letters by which keys are told to a child.

The legacy ones are xterm's (ctlseqs, "PC-Style Function Keys"); the others are the code points
of the kitty keyboard protocol.
"""

from __future__ import annotations

from typing import Final

LETTERS: Final = {
    "up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F",
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
