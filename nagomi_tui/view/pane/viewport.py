"""Which part of its session a pane wants to see, and how often it is to be painted."""

from __future__ import annotations

from typing import NamedTuple

from nagomi_tui.text.selection import At


class Scroll(NamedTuple):
    """Which lines a pane shows, and which there are."""

    line: int = 0
    first_line: int = 0
    last_line: int = 0
    left: int = 0
    top: int = 0


class Viewport:
    """What a pane asks the orchestrator for; the attributes are changed by the methods only.

    Methods that return a bool tell whether the orchestrator is to be asked anew.
    """

    def __init__(self, *, own_size: bool = False, fps: int = 10) -> None:
        self.own_size = own_size
        """The session's PTY takes the pane's size."""
        self._size_held = False
        self.fps = fps
        """Most frames a second."""
        self.line: int | None = None
        """Number of the first line, or None to follow the tail."""
        self.left: int | None = None
        """The first column, or None to follow the cursor."""
        self.held = False
        """The tail is not followed, even where the last line is shown."""
        self.kept: tuple[At, ...] = ()
        """Cells that the orchestrator finds again after a reflow."""
        self.left_tail_at = 0
        """Number of the last line when the tail was left; lines after it are new."""

    @property
    def at_tail(self) -> bool:
        """Whether the tail and the cursor are followed."""
        return self.line is None and self.left is None

    def begin(self) -> None:
        """Follow the tail of another session."""
        self.line = self.left = None
        self.held = False
        self.kept = ()

    @property
    def sets_size(self) -> bool:
        """Whether the session's PTY takes the pane's size now."""
        return self.own_size and not self._size_held

    def hold_size(self, held: bool) -> bool:
        """Leave the PTY's size as it is for now, or no longer."""
        changed, self._size_held = held != self._size_held, held
        return changed and self.own_size

    def scroll_to(self, line: int, scroll: Scroll, height: int) -> bool:
        """Fix the first line, or follow the tail where the last line is reached and not held.

        Who follows the tail and cannot scroll up, since there is nothing above, goes on so.
        """
        before = self.line
        most = max(scroll.first_line, scroll.last_line + 1 - height)
        wanted = min(max(scroll.first_line, line), most)
        if not self.held and (
            line + height > scroll.last_line or (before is None and wanted == scroll.line)
        ):
            self.line = None
        else:
            self.line = wanted
        if before is None:
            self.left_tail_at = scroll.last_line
        return self.line != before

    def fix(self, line: int, left_tail_at: int) -> None:
        """Show the session from a line on, as a viewport did that had left its tail then."""
        self.line, self.left_tail_at = line, left_tail_at

    def scroll_to_column(self, left: int | None) -> bool:
        """Fix the first column, or follow the cursor."""
        changed, self.left = left != self.left, left
        return changed

    def hold(self) -> None:
        """Follow the tail no more, even where the last line is shown, until `follow`."""
        self.held = True

    def follow(self) -> bool:
        """Follow the tail and the cursor."""
        changed = not self.at_tail
        self.line = self.left = None
        self.held = False
        return changed

    def keep(self, cells: tuple[At, ...]) -> bool:
        """Have these cells found again after a reflow."""
        changed, self.kept = cells != self.kept, cells
        return changed

    def renumber(self, line: int) -> int:
        """Take the new number of the first line, if it is fixed; return by how much it moved."""
        if self.line is None:
            return 0
        moved, self.line = line - self.line, line
        self.left_tail_at += moved
        return moved
