"""Strokes and mouse reports as Textual's events, where Textual has the keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from textual import events

from nagomi_tui.view.common import textual_private
from nagomi_tui.view.driver.strokes import ALT, CTRL, KEYPAD_CHARACTERS, SHIFT, SUPER, Stroke

if TYPE_CHECKING:
    from nagomi_tui.view.driver.tokens import Token

_PREFIXES: Final = ((ALT, "alt"), (CTRL, "ctrl"), (SHIFT, "shift"), (SUPER, "super"))
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
    plain = not mods & (ALT | CTRL | SUPER)
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
    if not mods & (ALT | CTRL | SUPER):
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
        """Whether the wheel was turned."""
        return bool(self.code & 64)

    @property
    def motion(self) -> bool:
        """Whether the mouse was moved."""
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
        """The modifiers, as the sum of shift 1, alt 2 and ctrl 4."""
        held = ((4, SHIFT), (8, ALT), (16, CTRL))
        return sum(ours for bit, ours in held if self.code & bit)


def mouse_report(token: Token) -> Report | None:
    """Return the report in a mouse token, or None for a button that is not known."""
    if match := _SGR.fullmatch(token.data):
        report = Report(int(match[1]), int(match[2]) - 1, int(match[3]) - 1, match[4] == b"m")
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
