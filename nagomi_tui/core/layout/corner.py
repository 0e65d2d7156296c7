"""The corner in which a notice hides least of what its user needs to see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    cols: int,
    rows: int,
    typed: Sequence[Box],
    calling: Sequence[Box],
    dialogs: Sequence[Box] = (),
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
