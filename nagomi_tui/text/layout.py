"""Where things go: tiles, the window of a smaller view, the free corner, the character's size.

Only arithmetic, so that its tests are tables. All lengths are cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

ENLARGED: Final = 1.8
"""How much wider and higher than before a focused tile gets, where there is room (N-39).

Where there is not, it weighs so much against the other columns or rows, at the least.
"""

LEAST_BESIDE: Final = 32
"""Columns that each tile beside an enlarged one keeps."""
LEAST_ROWS_BESIDE: Final = 10
"""Rows that each row of tiles above and below an enlarged one keeps."""

TILE_COLUMNS: Final = 60
"""Columns of the narrowest tile, frame included, beside another one; a setting may say otherwise."""
MIN_ROWS: Final = 5
"""Rows of the smallest tile, frame included; then the grid scrolls."""
ASKING_ROWS: Final = 24
"""Rows of a tile whose session asks its user something, where there are so many.

In fewer, agents leave out parts of a question, and of its choices, some without a sign.
"""
_MOST_COLUMNS: Final = 4


class Place(msgspec.Struct, frozen=True):
    """Where one tile lies in the grid, before scrolling."""

    x: int
    y: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def size(self) -> tuple[int, int]:
        """Its columns and rows."""
        return self.width, self.height


class Tiling(msgspec.Struct, frozen=True):
    """Places of all tiles in order, and how many rows they take together."""

    places: tuple[Place, ...]
    columns: int
    height: int


def columns_for(width: int, count: int, least: int = TILE_COLUMNS) -> int:
    """Return how many columns of tiles: as many as keep `least` columns each, four at most (N-38)."""
    return max(1, min(width // least, _MOST_COLUMNS, count))


def shares(total: int, weights: list[float], least: int = 0) -> list[int]:
    """Divide `total` by the weights into whole numbers, none below `least` where that fits."""
    parts = _divide(total, weights)
    if min(parts) >= least:
        return parts
    least = min(least, total // len(weights))
    return [least + part for part in _divide(total - least * len(weights), weights)]


def _divide(total: int, weights: list[float]) -> list[int]:
    whole = sum(weights)
    edges, run = [0], 0.0
    for weight in weights:
        run += weight
        edges.append(round(total * run / whole))
    return [after - before for before, after in pairwise(edges)]


def tile(
    count: int,
    width: int,
    height: int,
    *,
    enlarged: int | None = None,
    asking: int | None = None,
    min_columns: int = TILE_COLUMNS,
) -> Tiling:
    """Divide `width` by `height` among `count` tiles in reading order.

    The tile `enlarged` has 1.8 times its width and height, as far as the others keep enough; the tile
    `asking` has `ASKING_ROWS`, as far as the others keep `MIN_ROWS`. A last row that is not full is
    shared by the tiles in it. Columns are not narrower than `min_columns` but for one alone. Where
    tiles would have fewer than `MIN_ROWS`, the grid is higher than the area and scrolls.
    """
    if count <= 0 or width <= 0 or height <= 0:
        return Tiling((), 0, 0)
    columns = columns_for(width, count, min_columns)
    rows = -(-count // columns)
    focus_row = -1 if enlarged is None else enlarged // columns
    total = max(height, rows * MIN_ROWS)
    heights = shares(total, _weights(rows, focus_row, total / LEAST_ROWS_BESIDE), MIN_ROWS)
    if asking is not None and rows > 1:
        heights = _with_room(heights, asking // columns, height)
    places: list[Place] = []
    y = 0
    for row, row_height in enumerate(heights):
        in_row = min(columns, count - row * columns)
        focus = enlarged % columns if enlarged is not None and row == focus_row else -1
        places.extend(_row(in_row, focus, width, y, row_height))
        y += row_height
    return Tiling(tuple(places), columns, y)


def _with_room(heights: list[int], row: int, height: int) -> list[int]:
    """Return heights of which one has `ASKING_ROWS`, in an area of `height` rows.

    The others give it what they have above `MIN_ROWS`. Where that is too little to read a question,
    the grid becomes higher.
    """
    others = [rows for at, rows in enumerate(heights) if at != row]
    room = height - MIN_ROWS * len(others)
    asked = max(heights[row], min(ASKING_ROWS, room if room >= LEAST_ROWS_BESIDE else height))
    left = max(height - asked, MIN_ROWS * len(others))
    given = shares(left, [float(rows) for rows in others], MIN_ROWS)
    return [*given[:row], asked, *given[row:]]


def _weights(count: int, focus: int, room: float) -> list[float]:
    """Return the weights of `count` parts; `room` is how many of the least size there is space for."""
    weight = max(ENLARGED, min(_full(count), room - (count - 1)))
    return [weight if at == focus else 1.0 for at in range(count)]


def _full(count: int) -> float:
    """Return the weight by which one of `count` parts gets 1.8 times its equal share."""
    return ENLARGED * (count - 1) / (count - ENLARGED)


def _row(count: int, focus: int, width: int, y: int, height: int) -> list[Place]:
    widths = shares(width, _weights(count, focus, width / LEAST_BESIDE))
    places, x = [], 0
    for tile_width in widths:
        places.append(Place(x, y, tile_width, height))
        x += tile_width
    return places


def neighbour(tiling: Tiling, at: int, direction: str) -> int:
    """Return the tile that lies `left`, `right`, `up` or `down` of tile `at`, or `at` itself."""
    here = tiling.places[at]
    if direction in {"left", "right"}:
        step = -1 if direction == "left" else 1
        other = at + step
        same_row = 0 <= other < len(tiling.places) and tiling.places[other].y == here.y
        return other if same_row else at
    rows = sorted({place.y for place in tiling.places})
    row = rows.index(here.y) + (-1 if direction == "up" else 1)
    if not 0 <= row < len(rows):
        return at
    middle = here.x + here.width / 2
    inside = [index for index, place in enumerate(tiling.places) if place.y == rows[row]]
    return min(inside, key=lambda index: _distance(tiling.places[index], middle))


def _distance(place: Place, x: float) -> float:
    return (
        max(place.x - x, x - (place.x + place.width), 0) or abs(place.x + place.width / 2 - x) / 1e6
    )


def scroll_to_show(tiling: Tiling, at: int, *, top: int, height: int) -> int:
    """Return the scroll offset nearest to `top` at which tile `at` is wholly seen."""
    place = tiling.places[at]
    lowest = max(0, tiling.height - height)
    if place.y < top:
        top = place.y
    elif place.bottom > top + height:
        top = place.bottom - height
    return max(0, min(top, lowest))


def unseen(tiling: Tiling, *, top: int, height: int) -> set[int]:
    """Return the tiles of which nothing lies within the part of the grid that is seen."""
    return {
        index
        for index, place in enumerate(tiling.places)
        if place.y + place.height <= top or place.y >= top + height
    }


def hidden(tiling: Tiling, *, top: int, height: int) -> tuple[list[int], list[int]]:
    """Return the tiles whose header is above and below the part of the grid that is seen."""
    above = [index for index, place in enumerate(tiling.places) if place.y < top]
    below = [index for index, place in enumerate(tiling.places) if place.y >= top + height]
    return above, below


def followed(start: int, *, size: int, total: int, cursor: int) -> int:
    """Return the first cell of a window of `size` cells that shows the cursor.

    It stays where it is while the cursor is inside, so that the picture does not jump. Where the
    cursor goes back before it, what stands before the cursor is shown, too.
    """
    start = clamped(start, size=size, total=total)
    if cursor < start:
        return max(0, cursor - size // 2)
    if cursor >= start + size:
        return clamped(cursor - size + 1, size=size, total=total)
    return start


def filled(start: int, *, size: int, used: int) -> int:
    """Return a start that leaves no room empty after the `used` cells while there are some before it."""
    return min(start, max(0, used - size))


def clamped(start: int, *, size: int, total: int) -> int:
    """Return the start of a window of `size` cells that lies inside `total` cells."""
    return max(0, min(start, total - size))


WIDEST: Final = 60
"""Columns of the widest notice; none takes more than half of them."""
HIGHEST: Final = 7
"""Rows to be kept free for a notice."""


class Box(NamedTuple):
    """Cells of the screen, from column `x` and row `y` on."""

    x: int
    y: int
    cols: int
    rows: int

    def shared(self, other: Box) -> int:
        """Return the number of cells that lie in both."""
        cols = min(self.x + self.cols, other.x + other.cols) - max(self.x, other.x)
        rows = min(self.y + self.rows, other.y + other.rows) - max(self.y, other.y)
        return max(0, cols) * max(0, rows)


class Corner(NamedTuple):
    """A corner of the screen."""

    top: bool
    left: bool


CORNERS: Final = tuple(Corner(top, left) for left in (False, True) for top in (False, True))
"""Those at the right first, and of these the lower one."""


def free_corner(
    cols: int, rows: int, typed: Sequence[Box], calling: Sequence[Box], dialogs: Sequence[Box] = ()
) -> Corner:
    """Return the corner in which a notice hides least.

    Args:
        cols: columns of the screen.
        rows: its rows, of which the first and the last are bars.
        typed: where the user types; no corner that hides some of it is taken while another is free.
        calling: what calls for the user, and is hidden only where there is no other place.
        dialogs: what must not be hidden at all; `room` tells how much of a corner they leave.
    """
    return min(
        CORNERS,
        key=lambda corner: (
            _hidden(_notice(corner, cols, rows), dialogs),
            _hidden(_notice(corner, cols, rows), typed),
            _hidden(_notice(corner, cols, rows), calling),
        ),
    )


def room(corner: Corner, cols: int, rows: int, dialogs: Sequence[Box], *, top: int = 1) -> int:
    """Return how many rows notices may take in a corner without lying over a dialog.

    `top` is the first row that they may take at the top; the last one is a bar.
    """
    notice = _notice(corner, cols, rows)
    columns = Box(notice.x, 0, notice.cols, rows)
    met = [box for box in dialogs if columns.shared(box)]
    if corner.top:
        return min((box.y for box in met), default=rows - 1) - top
    return rows - 1 - max((box.y + box.rows for box in met), default=1)


def _notice(corner: Corner, cols: int, rows: int) -> Box:
    wide, high = min(WIDEST, cols // 2), min(HIGHEST, max(0, rows - 2))
    return Box(0 if corner.left else cols - wide, 1 if corner.top else rows - 1 - high, wide, high)


def _hidden(notice: Box, places: Sequence[Box]) -> int:
    return sum(notice.shared(place) for place in places)


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
