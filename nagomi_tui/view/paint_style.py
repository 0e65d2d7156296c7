"""Styles as SGR sequences for the outer terminal, and as Rich styles where Textual must cut."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.color import Color
from rich.style import Style as RichStyle

from nagomi_tui.core.screen import (
    BLINK,
    BOLD,
    DEFAULT,
    FAINT,
    INVERSE,
    INVISIBLE,
    ITALIC,
    OVERLINE,
    RGB,
    STRIKE,
)

if TYPE_CHECKING:
    from nagomi_tui.core.screen import Style

_FLAGS: Final = (
    (BOLD, "1"),
    (FAINT, "2"),
    (ITALIC, "3"),
    (BLINK, "5"),
    (INVERSE, "7"),
    (INVISIBLE, "8"),
    (STRIKE, "9"),
    (OVERLINE, "53"),
)
_LEVELS: Final = (0, 95, 135, 175, 215, 255)

RESET: Final = "\x1b[m"
LINK_END: Final = "\x1b]8;;\x1b\\"


@lru_cache(maxsize=8192)
def sgr(style: Style, truecolor: bool = True) -> str:
    """Return the sequence that sets exactly this style, whatever was set before."""
    codes = ["0"]
    codes += [code for flag, code in _FLAGS if style.flags & flag]
    if style.underline:
        codes.append("4" if style.underline == 1 else f"4:{style.underline}")
    codes += _color(style.fg, 30, truecolor)
    codes += _color(style.bg, 40, truecolor)
    if style.underline_color != DEFAULT:
        codes.append(_underline_color(style.underline_color))
    return "\x1b[m" if codes == ["0"] else f"\x1b[{';'.join(codes)}m"


def _color(color: int, base: int, truecolor: bool) -> list[str]:
    if color == DEFAULT:
        return []
    if color & RGB:
        if truecolor:
            red, green, blue = _parts(color)
            return [f"{base + 8};2;{red};{green};{blue}"]
        color = nearest(color)
    if color < 8:
        return [str(base + color)]
    if color < 16:
        return [str(base + 52 + color)]
    return [f"{base + 8};5;{color}"]


def _underline_color(color: int) -> str:
    if color & RGB:
        red, green, blue = _parts(color)
        return f"58:2::{red}:{green}:{blue}"
    return f"58:5:{color}"


def _parts(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


@lru_cache(maxsize=4096)
def nearest(color: int) -> int:
    """Return the palette index (16 to 255) nearest to a true colour."""
    wanted = _parts(color)
    steps = [min(range(6), key=lambda i, part=part: abs(_LEVELS[i] - part)) for part in wanted]  # type: ignore[misc]
    cube = 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
    grey = max(0, min(23, round((sum(wanted) / 3 - 8) / 10)))
    in_cube = _distance(wanted, (_LEVELS[steps[0]], _LEVELS[steps[1]], _LEVELS[steps[2]]))
    in_greys = _distance(wanted, (8 + 10 * grey,) * 3)
    return cube if in_cube <= in_greys else 232 + grey


def _distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def link_start(target: str) -> str:
    """Return the OSC 8 sequence that opens a link; control characters cannot get out of it."""
    clean = "".join(char for char in target if char.isprintable())
    return f"\x1b]8;;{clean}\x1b\\"


@lru_cache(maxsize=8192)
def rich_style(style: Style) -> RichStyle:
    """Return the style for Textual's segments; kinds of underline become one or two lines."""
    flags = style.flags
    return RichStyle(
        color=_rich_color(style.fg),
        bgcolor=_rich_color(style.bg),
        bold=bool(flags & BOLD) or None,
        dim=bool(flags & FAINT) or None,
        italic=bool(flags & ITALIC) or None,
        blink=bool(flags & BLINK) or None,
        reverse=bool(flags & INVERSE) or None,
        conceal=bool(flags & INVISIBLE) or None,
        strike=bool(flags & STRIKE) or None,
        overline=bool(flags & OVERLINE) or None,
        underline=(style.underline in (1, 3, 4, 5)) or None,
        underline2=(style.underline == 2) or None,
        link=style.link or None,
    )


def _rich_color(color: int) -> Color | None:
    if color == DEFAULT:
        return None
    return Color.from_rgb(*_parts(color)) if color & RGB else Color.from_ansi(color)
