"""Key strokes of the terminal's tokens (legacy, modifyOtherKeys, kitty), and Textual's events of them.

Sources: xterm's ctlseqs, https://sw.kovidgoyal.net/kitty/keyboard-protocol/, rxvt's reference.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from textual import events

from nagomi_tui.text.key_names import ALT, CTRL, HYPER, SHIFT, SUPER, by_place
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.driver.tokens import Kind, Token, number

Action: TypeAlias = Literal["press", "repeat", "release"]

_META: Final = 32
_CAPS_LOCK: Final = 64
_KNOWN_MODS: Final = SHIFT | ALT | CTRL | SUPER | HYPER

_ACTIONS: Final[dict[int, Action]] = {1: "press", 2: "repeat", 3: "release"}


class Stroke(NamedTuple):
    """A key that was pressed: `key` is its name or its unshifted character, `text` what it types."""

    key: str
    mods: int = 0
    text: str = ""
    action: Action = "press"
    base: str = ""
    """What a US layout has at the key's place, where the terminal told that it is another one."""

    def by_place(self) -> Stroke:
        """Return it as a shortcut: a key without a Latin letter is that of a US layout."""
        key, text = by_place(self.key, self.mods, self.text, self.base)
        return self._replace(key=key, text=text)


_NAMED: Final = {9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace"}
_LETTERS: Final = {
    "A": "up", "B": "down", "C": "right", "D": "left", "E": "kp_begin", "F": "end", "H": "home",
    "P": "f1", "Q": "f2", "R": "f3", "S": "f4",
}  # fmt: skip
_NUMBERS: Final = {
    1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end",
    11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9",
    21: "f10", 23: "f11", 24: "f12", 25: "f13", 26: "f14", 28: "f15", 29: "f16", 31: "f17",
    32: "f18", 33: "f19", 34: "f20", 57427: "kp_begin",
}  # fmt: skip
_RXVT_ENDS: Final = {"^": CTRL, "$": SHIFT, "@": CTRL | SHIFT}
_KEYPAD_TEXT: Final = dict(zip("jklmnopqrstuvwxyX", "*+,-./0123456789=", strict=True))
_KEYPAD: Final = (
    *(f"kp_{digit}" for digit in range(10)),
    "kp_decimal", "kp_divide", "kp_multiply", "kp_subtract", "kp_add", "kp_enter", "kp_equal",
    "kp_separator", "left", "right", "up", "down", "pageup", "pagedown", "home", "end", "insert",
    "delete", "kp_begin",
)  # fmt: skip
KEYPAD_CHARACTERS: Final = dict(zip(_KEYPAD, "0123456789./*-+", strict=False)) | {
    "kp_equal": "=",
    "kp_separator": ",",
}
_OTHERS: Final = (
    "media_play", "media_pause", "media_play_pause", "media_reverse", "media_stop",
    "media_fast_forward", "media_rewind", "media_track_next", "media_track_previous",
    "media_record", "lower_volume", "raise_volume", "mute_volume",
    "left_shift", "left_control", "left_alt", "left_super", "left_hyper", "left_meta",
    "right_shift", "right_control", "right_alt", "right_super", "right_hyper", "right_meta",
    "iso_level3_shift", "iso_level5_shift",
)  # fmt: skip
_LOCKS: Final = ("capslock", "scrolllock", "numlock", "printscreen", "pause", "menu")
_FUNCTIONAL: Final[dict[int, str]] = (
    dict(enumerate(_LOCKS, 57358))
    | {57376 + n: f"f{13 + n}" for n in range(23)}
    | dict(enumerate(_KEYPAD, 57399))
    | dict(enumerate(_OTHERS, 57428))
)
_CSI: Final = re.compile(r"(?:\x1b\[|\x9b)([0-9:;]*)(.)", re.DOTALL)
_SS3: Final = re.compile(r"(?:\x1bO|\x8f)([0-9]*)(.)", re.DOTALL)


def decode(token: Token, *, erase: int = 127) -> list[Stroke]:
    """Return the strokes of a text or key token; what no key sends gives none.

    `erase` is the byte that the terminal's Backspace sends, 127 or 8.
    """
    if token.kind is Kind.TEXT:
        return [_typed(char) for char in token.data.decode()]
    raw = token.data.decode("latin-1")
    if len(raw) == 1:
        return [_control(ord(raw), erase)]
    if raw[0] == "\x1b" and raw[1] == "\x1b":
        return [stroke._replace(mods=stroke.mods | ALT) for stroke in _sequence(raw[1:])]
    if found := _sequence(raw):
        return found
    if raw[0] == "\x1b" and (len(raw) == 2 or ord(raw[1]) >= 0xC2):
        return [_with_alt(token.data[1:], erase)]
    return []


def _typed(char: str) -> Stroke:
    if char == " ":
        return Stroke("space", 0, " ")
    lower = char.lower()
    if lower != char and len(lower) == 1:
        return Stroke(lower, SHIFT, char)
    return Stroke(char, 0, char)


def _control(code: int, erase: int) -> Stroke:
    if code == erase:
        return Stroke("backspace")
    if code in _NAMED:
        return Stroke(_NAMED[code])
    if code == 0:
        return Stroke("space", CTRL)
    return Stroke(chr(code + 96) if code <= 26 else chr(code + 64), CTRL)


def _with_alt(rest: bytes, erase: int) -> Stroke:
    if len(rest) == 1 and (rest[0] < 32 or rest[0] == 127):
        plain = _control(rest[0], erase)
    else:
        plain = _typed(rest.decode())
    return plain._replace(mods=plain.mods | ALT)


def _sequence(raw: str) -> list[Stroke]:
    """Return the stroke of a CSI or SS3 sequence."""
    if raw.startswith("\x1b[[") and len(raw) == 4:
        return [Stroke(f"f{ord(raw[3]) - 64}")]
    if match := _CSI.fullmatch(raw):
        return _csi(match[1], match[2])
    if match := _SS3.fullmatch(raw):
        return _ss3(match[1], match[2])
    return []


def _ss3(mods: str, final: str) -> list[Stroke]:
    held = _mods(number(mods)) if mods else 0
    if final in _LETTERS:
        return [Stroke(_LETTERS[final], held)]
    if final in "abcd":
        return [Stroke(_LETTERS[final.upper()], CTRL)]
    if final == "M":
        return [Stroke("kp_enter", held)]
    if text := _KEYPAD_TEXT.get(final):
        name = next(key for key, char in KEYPAD_CHARACTERS.items() if char == text)
        return [Stroke(name, held, text)]
    return []


def _mods(parameter: int) -> int:
    """Return our bits for a parameter that counts from one; locks are left out, and Meta is Alt."""
    held = max(0, parameter - 1)
    return held & _KNOWN_MODS | (ALT if held & _META else 0)


def _csi(parameters: str, final: str) -> list[Stroke]:
    fields = [[_number(part) for part in field.split(":")] for field in parameters.split(";")]
    if final == "u":
        return _kitty(fields)
    if final == "Z":
        return [Stroke("tab", SHIFT | _mods(_at(fields, 1, 0, 1)))]
    if final == "~" and _at(fields, 0, 0, 0) == 27 and len(fields) > 2:
        return _other_key(_at(fields, 2, 0, 0), _mods(_at(fields, 1, 0, 1)))
    mods, action = _mods(_at(fields, 1, 0, 1)), _action(fields)
    if final == "~":
        name = _NUMBERS.get(_at(fields, 0, 0, 0))
    elif final in _RXVT_ENDS:
        name, mods = _NUMBERS.get(_at(fields, 0, 0, 0)), _RXVT_ENDS[final]
    elif final in "abcd":
        name, mods = _LETTERS[final.upper()], SHIFT
    else:
        name = _LETTERS.get(final)
    return [Stroke(name, mods, "", action)] if name else []


def _number(part: str) -> int:
    return number(part) if part else -1


def _at(fields: list[list[int]], field: int, part: int, default: int) -> int:
    """Return one number of a sequence, or the default where it was left out."""
    if field < len(fields) and part < len(fields[field]) and fields[field][part] >= 0:
        return fields[field][part]
    return default


def _char(code: int) -> str:
    """Return a code point's character; empty for NUL, and for what is no character of Unicode."""
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code <= 0x10FFFF else ""


def _action(fields: list[list[int]]) -> Action:
    return _ACTIONS.get(_at(fields, 1, 1, 1), "press")


def _other_key(code: int, mods: int) -> list[Stroke]:
    """Return the stroke of `CSI 27 ; mods ; code ~`, whose code is the character typed."""
    if not (char := _char(code)):
        return []
    if code in _NAMED:
        return [Stroke(_NAMED[code], mods, " " if code == 32 and not mods & ~SHIFT else "")]
    if code < 32:
        plain = _control(code, 127)
        return [plain._replace(mods=plain.mods | mods)]
    plain = _typed(char)
    return [Stroke(plain.key, plain.mods | mods, plain.text)]


def _kitty(fields: list[list[int]]) -> list[Stroke]:
    """Return the stroke of `CSI code:shifted:base ; mods:action ; text u`."""
    code = _at(fields, 0, 0, 0)
    char = _char(code)
    if code and not char:
        return []
    parameter = _at(fields, 1, 0, 1)
    mods, action = _mods(parameter), _action(fields)
    told = "".join(map(_char, fields[2])) if len(fields) > 2 else ""
    if told and told.lower() != char:
        mods &= SHIFT  # AltGr made the text; some terminals tell it as Alt, or as Ctrl and Alt
    if code == 0:
        return [Stroke(told, mods, told, action)] if told else []
    if name := _FUNCTIONAL.get(code) or _NAMED.get(code):
        text = told or (" " if name == "space" else KEYPAD_CHARACTERS.get(name, ""))
        return [Stroke(name, mods, text if not mods & ~SHIFT else "", action)]
    if not told:
        shifted = _char(_at(fields, 0, 1, 0))
        upper = bool(mods & SHIFT) != bool((parameter - 1) & _CAPS_LOCK and char.isalpha())
        told = (shifted if shifted and mods & SHIFT else char.upper()) if upper else char
    base = _at(fields, 0, 2, 0)
    place = _char(base) if base > 32 and base != code else ""
    return [Stroke(char, mods, told if told and told.isprintable() else "", action, place)]


_PREFIXES: Final = (
    (ALT, "alt"), (CTRL, "ctrl"), (HYPER, "hyper"), (SHIFT, "shift"), (SUPER, "super"),
)  # fmt: skip
"""Modifiers with Textual's prefixes for them, in the order in which Textual writes these."""
_CHARACTERS: Final = {"enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f"}
_UNHEARD: Final = re.compile(
    r"(left|right|iso)_.*|media_.*|.*_volume|capslock|numlock|scrolllock|kp_begin"
)
_SGR: Final = re.compile(rb"(?:\x1b\[|\x9b)<(\d+);(-?\d+);(-?\d+)([Mm])")
_X10: Final = re.compile(rb"(?:\x1b\[|\x9b)M(...)", re.DOTALL)


def key_event(stroke: Stroke) -> events.Key | None:
    """Return the event of a stroke, or None for what Textual has no use for."""
    if stroke.action == "release" or _UNHEARD.fullmatch(stroke.key):
        return None
    return events.Key(key_name(stroke), _character(stroke))


def key_name(stroke: Stroke) -> str:
    """Return a stroke's name as Textual writes it, such as `ctrl+right_square_bracket`."""
    key, mods, text = stroke.key, stroke.mods, stroke.text
    plain = not mods & ~SHIFT
    if key.startswith("kp_"):
        key = KEYPAD_CHARACTERS.get(key, key.removeprefix("kp_"))
    if plain and len(text) == 1 and len(key) == 1:
        return textual_private.character_key(text)
    if len(text) == 1 and len(key) == 1 and mods & SHIFT and not key.isalpha():
        key, mods = text, mods & ~SHIFT
    if key == "space":
        mods &= ~SHIFT
    base = textual_private.character_key(key) if len(key) == 1 else key
    return "+".join([name for bit, name in _PREFIXES if mods & bit] + [base])


def _character(stroke: Stroke) -> str | None:
    key, mods, text = stroke.key, stroke.mods, stroke.text
    if not mods & ~SHIFT:
        return text or (None if mods else _CHARACTERS.get(key.removeprefix("kp_")))
    if mods == CTRL and len(key) == 1 and "@" <= key.upper() <= "_":
        return chr(ord(key.upper()) - 64)
    return None


class Report(NamedTuple):
    """A mouse report; columns and rows count from 0 at the terminal's top left."""

    code: int
    """As in SGR reports: button, 4 shift, 8 alt, 16 ctrl, 32 motion, 64 wheel."""
    x: int
    y: int
    released: bool

    @property
    def wheel(self) -> bool:
        return bool(self.code & 64)

    @property
    def motion(self) -> bool:
        return bool(self.code & 32)

    @property
    def hovers(self) -> bool:
        """Whether the mouse was moved with no button held."""
        return self.motion and self.button == 3

    @property
    def button(self) -> int:
        """The button: 0 left, 1 middle, 2 right, 3 none, 4 to 7 the wheel's directions."""
        return (self.code & 3) + (4 if self.wheel else 0)

    @property
    def mods(self) -> int:
        held = ((4, SHIFT), (8, ALT), (16, CTRL))
        return sum(ours for bit, ours in held if self.code & bit)


def mouse_report(token: Token) -> Report | None:
    """Return the report in a mouse token, or None for a button that is not known."""
    if match := _SGR.fullmatch(token.data):
        report = Report(
            number(match[1]), number(match[2]) - 1, number(match[3]) - 1, match[4] == b"m"
        )
    elif match := _X10.fullmatch(token.data):
        code, x, y = (byte - 32 for byte in match[1])
        report = Report(code, x - 1, y - 1, code & 3 == 3 and not code & 96)
    else:
        return None
    return None if report.code >= 128 or report.x < 0 or report.y < 0 else report


_WHEEL: Final[tuple[type[events.MouseEvent], ...]] = (
    events.MouseScrollUp,
    events.MouseScrollDown,
    events.MouseScrollLeft,
    events.MouseScrollRight,
)


def mouse_event(report: Report, last: tuple[int, int]) -> events.MouseEvent:
    """Return Textual's event; `last` is where the mouse was before."""
    button = 0 if report.wheel or report.button == 3 else report.button + 1
    if report.wheel:
        kind = _WHEEL[report.button - 4]
    elif report.motion or (button == 0 and not report.released):
        kind = events.MouseMove
    else:
        kind = events.MouseUp if report.released else events.MouseDown
    delta = (report.x - last[0], report.y - last[1])
    return textual_private.mouse_event(kind, report.x, report.y, button, report.code, delta)
