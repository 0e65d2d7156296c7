"""A session's terminal, for parts that only read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.text.screen import Cursor, Modes, Row


class ReadableScreen(Protocol):
    """Rows by number, size and cursor; `Screen` implements it."""

    @property
    def layout(self) -> int:
        """Another number after each resize, which may renumber lines."""

    @property
    def is_stored(self) -> bool:
        """Whether it shows stored lines of a session that has ended, in place of its output."""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""

    @property
    def bounds(self) -> tuple[int, int, int]:
        """Numbers of the oldest line, the screen's top row, and its last row."""

    @property
    def cursor(self) -> Cursor:
        """Where the cursor stands on the screen."""

    @property
    def modes(self) -> Modes:
        """What the child has asked of its terminal."""

    @property
    def title(self) -> str:
        """The title that the child set."""

    def leave_alternate(self) -> None:
        """Go back to what stands behind the alternate screen, since its program is gone."""

    def screen(self) -> Sequence[Row]:
        """Return the screen; unchanged rows are the same objects as before."""

    def lines(self, start: int, stop: int, *, plain: bool = False) -> list[Row]:
        """Return lines by number; `plain` where nobody will look at their styles."""
