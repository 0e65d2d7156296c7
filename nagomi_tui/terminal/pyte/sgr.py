"""SGR parameters → `Style`, colours kept as the child gave them (pyte makes names of them)."""

from __future__ import annotations

from typing import Final

from nagomi_tui.core.text.screen import (
    BLINK,
    BOLD,
    DEFAULT,
    FAINT,
    INVERSE,
    INVISIBLE,
    ITALIC,
    OVERLINE,
    PLAIN,
    RGB,
    STRIKE,
    Style,
)

_ON: Final = {
    1: BOLD, 2: FAINT, 3: ITALIC, 5: BLINK, 6: BLINK, 7: INVERSE, 8: INVISIBLE, 9: STRIKE,
    53: OVERLINE,
}  # fmt: skip
_OFF: Final = {
    22: BOLD | FAINT, 23: ITALIC, 25: BLINK, 27: INVERSE, 28: INVISIBLE, 29: STRIKE, 55: OVERLINE,
}  # fmt: skip
_COLOURS: Final = {38: "fg", 48: "bg", 58: "underline_color"}
_RESETS: Final = {39: "fg", 49: "bg", 59: "underline_color"}


def apply(style: Style, params: list[list[int]]) -> Style:
    """Return `style` after the parameters, each a list of its colon-separated parts."""
    look = {name: getattr(style, name) for name in Style.__struct_fields__}
    at = 0
    while at < len(params):
        parts = params[at]
        if parts[0] in _COLOURS:
            colour, used = _colour(parts, params[at + 1 : at + 5])
            at += used
            if colour is not None:
                look[_COLOURS[parts[0]]] = colour
        else:
            _simple(look, parts)
        at += 1
    new = Style(**look)
    return PLAIN if new == PLAIN else new


def _simple(look: dict[str, int | str], parts: list[int]) -> None:
    code, flags = parts[0], int(look["flags"])
    if code == 0:
        link = look["link"]
        look.update({name: getattr(PLAIN, name) for name in PLAIN.__struct_fields__}, link=link)
    elif code == 4:
        look["underline"] = min(parts[1], 5) if len(parts) > 1 else 1
    elif code == 21:
        look["underline"] = 2
    elif code == 24:
        look["underline"] = 0
    elif code in _ON:
        look["flags"] = flags | _ON[code]
    elif code in _OFF:
        look["flags"] = flags & ~_OFF[code]
    elif code in _RESETS:
        look[_RESETS[code]] = DEFAULT
    else:
        _eight(look, code)


def _eight(look: dict[str, int | str], code: int) -> None:
    for name, base, first in (("fg", 30, 0), ("bg", 40, 0), ("fg", 90, 8), ("bg", 100, 8)):
        if base <= code < base + 8:
            look[name] = code - base + first


def _colour(parts: list[int], following: list[list[int]]) -> tuple[int | None, int]:
    """Return a colour, and how many following parameters belong to it."""
    if len(parts) > 1:  # 38:5:n, 38:2:r:g:b or 38:2:space:r:g:b
        if parts[1] == 5 and len(parts) > 2:
            return parts[2] & 255, 0
        return (_rgb(parts[-3:]), 0) if parts[1] == 2 and len(parts) > 4 else (None, 0)
    flat = [one[0] for one in following]
    if flat[:1] == [5] and len(flat) > 1:
        return flat[1] & 255, 2
    if flat[:1] == [2] and len(flat) > 3:
        return _rgb(flat[1:4]), 4
    return None, len(flat)


def _rgb(parts: list[int]) -> int:
    red, green, blue = (part & 255 for part in parts)
    return RGB | red << 16 | green << 8 | blue
