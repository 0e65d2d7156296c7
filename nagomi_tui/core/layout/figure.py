"""How large the character is drawn beside the prompt; lanes get their room first (N-31)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec


class Figure(StrEnum):
    """What is seen of the character."""

    LARGE = "large"
    """24 by 12 cells, with a balloon of several lines."""
    SMALL = "small"
    """16 by 8 cells, with a balloon of one line."""
    LINE = "line"
    """A face of a few characters."""
    OFF = "off"


class Foot(msgspec.Struct, frozen=True):
    """Rows of the chat view's foot, and of the balloon in it."""

    rows: int
    balloon: int


FEET: Final = {
    Figure.LARGE: Foot(rows=12, balloon=6),
    Figure.SMALL: Foot(rows=8, balloon=3),
    Figure.LINE: Foot(rows=5, balloon=0),
    Figure.OFF: Foot(rows=5, balloon=0),
}
LOW_FOOT: Final = Foot(rows=4, balloon=0)
"""On a low screen the prompt has two lines."""
LOW: Final = 18
"""Rows below which a screen is low."""

_LARGE_FROM: Final = (100, 34)
_SMALL_FROM: Final = (80, 21)
_LINE_FROM: Final = 40


def figure(cols: int, rows: int, *, wish: str = "auto", pictures: bool = True) -> Figure:
    """Return the largest figure that fits into a view of this size, up to `wish`.

    `wish` is the setting `character_size`; without `pictures` the terminal has too few colours.
    """
    if wish == Figure.OFF or cols < _LINE_FROM:
        return Figure.OFF
    if wish == Figure.LINE or not pictures:
        return Figure.LINE
    if wish == "auto" and cols >= _LARGE_FROM[0] and rows >= _LARGE_FROM[1]:
        return Figure.LARGE
    if cols >= _SMALL_FROM[0] and rows >= _SMALL_FROM[1]:
        return Figure.SMALL
    return Figure.LINE


def foot(shown: Figure, rows: int) -> Foot:
    """Return the foot of a view with so many rows."""
    return LOW_FOOT if rows < LOW else FEET[shown]
