"""How large the character is drawn beside the lanes; programs get their room first (N-31)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Figure(StrEnum):
    """What is seen of the character."""

    LARGE = "large"
    """24 by 12 cells, under a balloon of several lines."""
    SMALL = "small"
    """16 by 8 cells, under a balloon of several lines."""
    LINE = "line"
    """A face of a few characters."""
    OFF = "off"


SIDE: Final = {Figure.LARGE: 28, Figure.SMALL: 20}
"""Columns beside the lanes that the character takes, from top to bottom."""
LANE: Final = 82
"""Columns that each lane keeps beside the character: a program of 80 columns in its frame."""

_LARGE_ROWS: Final = 34
_SMALL_ROWS: Final = 21
_LINE_FROM: Final = 40


def figure(
    cols: int, rows: int, *, lanes: int = 1, wish: str = "auto", pictures: bool = True
) -> Figure:
    """Return the largest figure that leaves each of `lanes` its 80 columns.

    `wish` is the setting `character_size`; without `pictures` the terminal has too few colours.
    """
    if wish == Figure.OFF or cols < _LINE_FROM:
        return Figure.OFF
    if wish == Figure.LINE or not pictures:
        return Figure.LINE
    left = cols - LANE * max(1, lanes)
    if wish == "auto" and rows >= _LARGE_ROWS and left >= SIDE[Figure.LARGE]:
        return Figure.LARGE
    if rows >= _SMALL_ROWS and left >= SIDE[Figure.SMALL]:
        return Figure.SMALL
    return Figure.LINE
