"""What the user's terminal shows of a pane, and what is to be written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.view.pane.rows import PaintRow


class CellRect(NamedTuple):
    """A part of the terminal, in cells from the top left."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        """Tell whether a cell of the terminal is inside."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class TerminalCopy:
    """The rows of a pane as the terminal has them. Everything here is done under `link.lock`."""

    def __init__(self) -> None:
        self.lies_at: CellRect | None = None
        """Where the pane lies, covered or not; None while it is not wholly on the terminal."""
        self.exposed_at: CellRect | None = None
        """Where the frame writer may write it: nothing lies over it; None leaves it to Textual."""
        self._shown: list[PaintRow | None] = []
        """What the terminal shows there; None where that is not known."""
        self._due: set[int] = set()
        """Rows that may differ from what the terminal shows."""
        self._handed: list[PaintRow] | None = None
        """The rows that Textual took for the frame that it is making."""

    def forget(self, height: int) -> None:
        """Assume nothing of what the terminal shows, in a pane of `height` rows."""
        self._shown = [None] * height
        self._due = set(range(height))
        self._handed = None

    def mark(self, lines: Iterable[int]) -> None:
        """Note that these rows may differ from what the terminal shows."""
        self._due.update(lines)

    def hand_over(self, rows: list[PaintRow]) -> None:
        """Remember the rows that Textual takes for the frame that it is making."""
        self._handed = rows

    # --- for the frame writer

    def move(self, rect: CellRect | None) -> bool:
        """Note where the pane lies on the terminal; return whether it has moved."""
        before, self.lies_at = self.lies_at, rect
        return before != rect

    def expose(self, rect: CellRect, *, moved: bool) -> None:
        """Write the rows there from now on."""
        if self.exposed_at == rect:
            return
        self.exposed_at = rect
        # Textual draws the whole of a pane that has moved. Where only a cover has gone, it has
        # drawn no more than what was covered.
        height = len(self._shown)
        self._shown = list(self._handed) if moved and self._handed is not None else [None] * height
        self._due = set(range(height))

    def leave(self, rows: list[PaintRow]) -> set[int] | None:
        """Leave the rows to Textual; return those that it took before they changed.

        None if Textual had them already.
        """
        if self.exposed_at is None:
            return None
        self.exposed_at = None
        handed = self._handed
        return {y for y, row in enumerate(rows) if handed is None or handed[y] is not row}

    def repair(self) -> None:
        """Find rows that Textual's frame may have drawn otherwise than they were written."""
        handed, self._handed = self._handed, None
        if handed is None or self.exposed_at is None:
            return
        for y, row in enumerate(handed):
            if self._shown[y] is not row:
                self._shown[y] = None
                self._due.add(y)

    def take_due(self) -> list[int]:
        """Return, once, the rows that may differ from what the terminal shows, in order."""
        due, self._due = self._due, set()
        return sorted(due)

    def replace(self, y: int, row: PaintRow) -> PaintRow | None:
        """Note what a row shows from now on; return what it showed, or None if not known."""
        before, self._shown[y] = self._shown[y], row
        return before
