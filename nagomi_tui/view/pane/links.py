"""Links on the cells of a pane: those that a program has set (OSC 8), and plain addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.copy.grid import Absent, At, GridRow
from nagomi_tui.core.copy.urls import Hyperlink, link_at

if TYPE_CHECKING:
    from nagomi_tui.view.pane.buffer import PaneBuffer


def link_shown(buffer: PaneBuffer, at: At) -> Hyperlink | None:
    """Return the link on a cell that is shown, as far as its row goes."""
    left = buffer.scroll.left
    y, x = at.line - buffer.scroll.line, at.column - left
    if not (0 <= y < len(buffer.plain) and 0 <= x < buffer.width):
        return None
    cells = buffer.plain[y].cells
    target = cells[x][1].link
    if not target:
        return None
    first = last = x
    while first > 0 and cells[first - 1][1].link == target:
        first -= 1
    while last + 1 < len(cells) and cells[last + 1][1].link == target:
        last += 1
    return Hyperlink(target, At(at.line, left + first), At(at.line, left + last))


class ShownGrid:
    """The rows that a pane shows. A full row is taken for one that goes on in the next."""

    def __init__(self, buffer: PaneBuffer) -> None:
        self._rows = list(buffer.plain)
        self.first = buffer.scroll.line
        self.last = self.first + len(self._rows) - 1
        self._whole = buffer.scroll.left == 0 and buffer.width >= buffer.session_size[0]

    def row(self, line: int) -> GridRow:
        """Return a line.

        Raises:
            Absent: it is not shown.
        """
        if not self.first <= line <= self.last:
            raise Absent(line)
        cells = tuple(text for text, _ in self._rows[line - self.first].cells)
        return GridRow(cells, self._whole and cells[-1:] not in ((" ",), ()))


def link_under(buffer: PaneBuffer, at: At) -> Hyperlink | None:
    """Return the link on a cell that is shown, as far as it is shown."""
    if (shown := link_shown(buffer, at)) is not None:
        return shown
    grid = ShownGrid(buffer)
    try:
        return link_at(grid, At(at.line, grid.row(at.line).start(at.column)))
    except Absent:
        return None
