"""Where tiles go: an area divided into columns and rows, one tile perhaps enlarged.

Only arithmetic, so that its tests are tables. All lengths are cells.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import msgspec

ENLARGED: Final = 1.8
"""How much wider and higher than before a focused tile gets, where there is room (N-39).

Where there is not, it weighs so much against the other columns or rows, at the least.
"""

LEAST_BESIDE: Final = 32
"""Columns that each tile beside an enlarged one keeps."""
LEAST_ROWS_BESIDE: Final = 10
"""Rows that each row of tiles above and below an enlarged one keeps."""

ONE_COLUMN_BELOW: Final = 64
MIN_ROWS: Final = 5
"""Rows of the smallest tile, frame included; then the grid scrolls."""

_COLUMNS_FROM: Final = ((240, 4), (160, 3))
"""Widths from which more than two columns fit (N-38)."""


class Place(msgspec.Struct, frozen=True):
    """Where one tile lies in the grid, before scrolling."""

    x: int
    y: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        """The first row below the tile."""
        return self.y + self.height


class Tiling(msgspec.Struct, frozen=True):
    """Places of all tiles in order, and how many rows they take together."""

    places: tuple[Place, ...]
    columns: int
    height: int


def columns_for(width: int, count: int) -> int:
    """Return how many columns: one when narrow, two by default, up to four when wide."""
    if width < ONE_COLUMN_BELOW or count <= 1:
        return 1
    wanted = next((columns for least, columns in _COLUMNS_FROM if width >= least), 2)
    return min(wanted, count)


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
    min_rows: int = MIN_ROWS,
    gap: int = 0,
) -> Tiling:
    """Divide `width` by `height` among `count` tiles in reading order.

    The tile `enlarged` has 1.8 times its width and height, as far as the others keep enough. A last row that is not full is shared
    by the tiles in it. Where tiles would have fewer than `min_rows`, the grid is higher than
    the area and scrolls. `gap` is left free between columns.
    """
    if count <= 0 or width <= 0 or height <= 0:
        return Tiling((), 0, 0)
    columns = columns_for(width, count)
    rows = -(-count // columns)
    focus_row = -1 if enlarged is None else enlarged // columns
    total = max(height, rows * min_rows)
    heights = shares(total, _weights(rows, focus_row, total / LEAST_ROWS_BESIDE), min_rows)
    places: list[Place] = []
    y = 0
    for row, row_height in enumerate(heights):
        in_row = min(columns, count - row * columns)
        focus = enlarged % columns if enlarged is not None and row == focus_row else -1
        places.extend(_row(in_row, focus, width, gap, y, row_height))
        y += row_height
    return Tiling(tuple(places), columns, total)


def _weights(count: int, focus: int, room: float) -> list[float]:
    """Return the weights of `count` parts; `room` is how many of the least size there is space for."""
    weight = max(ENLARGED, min(_full(count), room - (count - 1)))
    return [weight if at == focus else 1.0 for at in range(count)]


def _full(count: int) -> float:
    """Return the weight by which one of `count` parts gets 1.8 times its equal share."""
    return ENLARGED * (count - 1) / (count - ENLARGED) if count > 1 else ENLARGED


def _row(count: int, focus: int, width: int, gap: int, y: int, height: int) -> list[Place]:
    room = max(count, width - gap * (count - 1))
    widths = shares(room, _weights(count, focus, room / LEAST_BESIDE))
    places, x = [], 0
    for tile_width in widths:
        places.append(Place(x, y, tile_width, height))
        x += tile_width + gap
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
