"""Styles and rows as SGR sequences and as plain text; the one table of style flags."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from nagomi_tui.text.cells import link_target
from nagomi_tui.text.rows import (
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
    Row,
    Style,
)

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


def parameters(style: Style, *, truecolor: bool = True) -> str:
    """Return what sets exactly this style, whatever was set before; `0` for a plain one."""
    codes = ["0", *(code for flag, code in _FLAGS if style.flags & flag)]
    if style.underline:
        codes.append("4" if style.underline == 1 else f"4:{style.underline}")
    codes += _color(style.fg, 30, truecolor)
    codes += _color(style.bg, 40, truecolor)
    if style.underline_color != DEFAULT:
        codes.append(_underline_color(style.underline_color))
    return ";".join(codes)


def _color(color: int, base: int, truecolor: bool) -> list[str]:
    if color == DEFAULT:
        return []
    if color & RGB:
        if truecolor:
            # Many programs read only semicolons here.
            red, green, blue = red_green_blue(color)
            return [f"{base + 8};2;{red};{green};{blue}"]
        color = nearest(color)
    if color < 8:
        return [str(base + color)]
    if color < 16:
        return [str(base + 52 + color)]
    return [f"{base + 8};5;{color}"]


def _underline_color(color: int) -> str:
    if color & RGB:
        red, green, blue = red_green_blue(color)
        return f"58:2::{red}:{green}:{blue}"
    return f"58:5:{color}"


def red_green_blue(color: int) -> tuple[int, int, int]:
    """Return the parts of a true colour, 0 to 255 each."""
    return color >> 16 & 255, color >> 8 & 255, color & 255


@lru_cache(maxsize=4096)
def nearest(color: int) -> int:
    """Return the palette index (16 to 255) nearest to a true colour."""
    wanted = red_green_blue(color)
    steps = [min(range(6), key=lambda i, part=part: abs(_LEVELS[i] - part)) for part in wanted]  # type: ignore[misc]
    cube = 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
    grey = max(0, min(23, round((sum(wanted) / 3 - 8) / 10)))
    in_cube = _distance(wanted, (_LEVELS[steps[0]], _LEVELS[steps[1]], _LEVELS[steps[2]]))
    in_greys = _distance(wanted, (8 + 10 * grey,) * 3)
    return cube if in_cube <= in_greys else 232 + grey


def _distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def plain(rows: Iterable[Row], *, join: bool = False) -> str:
    """Return one line a row, each ended by a newline; `join` puts wrapped rows together."""
    pieces: list[str] = []
    for row in rows:
        if join and row.wrapped:
            pieces.append("".join(run.text for run in row.runs))
        else:
            pieces.append(row.text + "\n")
    text = "".join(pieces)
    return text if not text or text.endswith("\n") else text.rstrip(" ") + "\n"


def ansi(rows: Iterable[Row], *, join: bool = False) -> str:
    """Return one line a row with its colours exactly as the child set them."""
    pieces: list[str] = []
    for row in rows:
        pieces.append(ansi_row(row))
        if not (join and row.wrapped):
            pieces.append("\n")
    return "".join(pieces)


def ansi_row(row: Row) -> str:
    """Return the row's text and styles; the style at its end is the default one."""
    pieces: list[str] = []
    current = PLAIN
    for run in row.runs:
        if run.style != current:
            pieces.append(_change(current, run.style))
            current = run.style
        pieces.append(run.text)
    if current != PLAIN:
        pieces.append(_change(current, PLAIN))
    return "".join(pieces)


def sgr(style: Style) -> str:
    """Return the sequence that sets exactly this style, whatever was set before."""
    return f"\x1b[{parameters(style)}m"


def _change(old: Style, new: Style) -> str:
    link = f"\x1b]8;;{link_target(new.link)}\x1b\\" if new.link != old.link else ""
    return link + sgr(new)
