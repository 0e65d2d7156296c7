"""Styles as SGR sequences for the outer terminal, and as Rich styles where Textual must cut."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.color import Color
from rich.style import Style as RichStyle

from nagomi_tui.core.text.plain import link_target
from nagomi_tui.core.text.screen import (
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
from nagomi_tui.core.text.sgr import parameters, red_green_blue

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import Style

RESET: Final = "\x1b[m"
LINK_END: Final = "\x1b]8;;\x1b\\"


@lru_cache(maxsize=8192)
def sgr(style: Style, truecolor: bool = True) -> str:
    """Return the sequence that sets exactly this style, whatever was set before."""
    codes = parameters(style, truecolor=truecolor)
    return RESET if codes == "0" else f"\x1b[{codes}m"


def link_start(target: str) -> str:
    """Return the OSC 8 sequence that opens a link; control characters cannot get out of it."""
    return f"\x1b]8;;{link_target(target)}\x1b\\"


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
        link=link_target(style.link) or None,
    )


def _rich_color(color: int) -> Color | None:
    if color == DEFAULT:
        return None
    return Color.from_rgb(*red_green_blue(color)) if color & RGB else Color.from_ansi(color)
