"""Pixels as half blocks: two rows of pixels make one row of cells."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rich.color import Color, ColorSystem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.view.character.character import Pixel, Pixels

Colors = Literal["truecolor", "256"]


def cells_of(pixels: Pixels, row: int) -> Iterator[tuple[str, Pixel, Pixel]]:
    """Yield for each cell of a row its character, colour and background (-1 for none)."""
    upper = pixels[2 * row]
    lower = pixels[2 * row + 1] if 2 * row + 1 < len(pixels) else (-1,) * len(upper)
    for top, low in zip(upper, lower, strict=True):
        if top < 0 and low < 0:
            yield " ", -1, -1
        elif top < 0:
            yield "▄", low, -1
        else:
            yield "▀", top, low


def color(pixel: Pixel) -> Color:
    """Return a pixel's colour."""
    return Color.from_rgb(pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)


def ansi(pixels: Pixels, colors: Colors = "truecolor") -> list[str]:
    """Return rows as text with SGR sequences, written only where a colour changes."""
    return ["".join(_row(pixels, row, colors)) for row in range((len(pixels) + 1) // 2)]


def _row(pixels: Pixels, row: int, colors: Colors) -> Iterator[str]:
    before: tuple[Pixel, Pixel] = (-1, -1)
    for sign, ink, paper in cells_of(pixels, row):
        ink = before[0] if sign == " " and paper == before[1] else ink
        if (ink, paper) != before:
            yield f"\x1b[0{_code(ink, colors, 38)}{_code(paper, colors, 48)}m"
            before = (ink, paper)
        yield sign
    if before != (-1, -1):
        yield "\x1b[0m"


@lru_cache(maxsize=512)
def _code(pixel: Pixel, colors: Colors, kind: int) -> str:
    if pixel < 0:
        return ""
    if colors == "256":
        return f";{kind};5;{color(pixel).downgrade(ColorSystem.EIGHT_BIT).number}"
    return f";{kind};2;{pixel >> 16 & 255};{pixel >> 8 & 255};{pixel & 255}"
