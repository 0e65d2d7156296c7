"""Predicted echo of one pane: it reads the row with the cursor, and lays guesses over it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from nagomi_tui.core.text.predicted_echo import CursorLine, PredictedEcho
from nagomi_tui.core.text.screen import INVERSE, Row
from nagomi_tui.view.pane.marks import runs
from nagomi_tui.view.pane.rows import PaintRow

if TYPE_CHECKING:
    from nagomi_tui.core.text.predicted_echo import Overlay
    from nagomi_tui.core.text.screen import Cursor, Style


_NOWHERE: Final = (-1, -1)


class EchoScreen(NamedTuple):
    """What a pane shows of its session."""

    rows: list[PaintRow]
    cursor: Cursor
    top: int
    """Number of the first row's line."""
    cols: int
    """Columns of the session's own screen."""


class EchoLayer:
    """Lays guesses over rows; a row that looks as before stays the same object."""

    def __init__(self) -> None:
        self._echo: PredictedEcho | None = None
        """None until a key is to be guessed with: most panes never need it."""
        self._cursor_is_drawn = False
        """The program hides the terminal's cursor, and draws one."""
        self._laid: tuple[PaintRow, Overlay, PaintRow] | None = None

    def forget(self) -> None:
        """Guess nothing until the next key."""
        self._echo = self._laid = None

    def typed(self, key: str, screen: EchoScreen) -> None:
        """Take a key that is sent to the session: a character, `ERASE` or `OTHER`."""
        if self._echo is None:
            self._echo = PredictedEcho()
            self.saw(screen)
        self._echo.typed(key, time.monotonic())

    def look(self) -> None:
        """Give up what should have been seen by now."""
        if self._echo is not None:
            self._echo.look(time.monotonic())

    @property
    def wait(self) -> float | None:
        """Seconds until `look` is to be called; None for never."""
        due = None if self._echo is None else self._echo.due
        return None if due is None else max(0.0, due - time.monotonic())

    def saw(self, screen: EchoScreen) -> None:
        """Take the session's screen as it is now."""
        if self._echo is None:
            return
        rows, cursor = screen.rows, screen.cursor
        self._cursor_is_drawn = not cursor.visible
        x, y = (cursor.x, cursor.y) if cursor.visible else _drawn_cursor(rows)
        line = None
        if 0 <= y < len(rows) and 0 <= x < min(screen.cols, rows[y].width):
            cells = tuple(text for text, _ in rows[y].cells[: screen.cols])
            line = CursorLine(screen.top + y, cells, x)
        self._echo.saw(line, time.monotonic())

    def lay(self, rows: list[PaintRow], cursor: Cursor, top: int) -> tuple[list[PaintRow], Cursor]:
        """Return the rows and the cursor as they are to be shown."""
        overlay = None if self._echo is None else self._echo.overlay()
        y = -1 if overlay is None else overlay.number - top
        if overlay is None or not 0 <= y < len(rows):
            return rows, cursor
        laid, drawn = self._laid, self._cursor_is_drawn
        if laid is None or laid[0] is not rows[y] or laid[1] != overlay:
            self._laid = laid = rows[y], overlay, _over(rows[y], overlay, cursor_is_drawn=drawn)
        shown = cursor if drawn else msgspec.structs.replace(cursor, x=overlay.x)
        return [*rows[:y], laid[2], *rows[y + 1 :]], shown


def _drawn_cursor(rows: list[PaintRow]) -> tuple[int, int]:
    """Return the one cell that is shown inverse, a cursor most likely; (-1, -1) if there is none.

    There is none either where more is shown inverse.
    """
    found: tuple[int, int] | None = None
    for y, row in enumerate(rows):
        x = 0
        for run in row.row.runs:
            if run.style.flags & INVERSE:
                if found is not None or run.cells != 1:
                    return _NOWHERE
                found = x, y
            x += run.cells
    return found or _NOWHERE


def _over(row: PaintRow, overlay: Overlay, *, cursor_is_drawn: bool) -> PaintRow:
    """Return the row with guesses over it, underlined, and with its drawn cursor moved on."""
    cells = list(row.cells)
    if cursor_is_drawn:
        cells = [(text, _with(style, inverse=False)) for text, style in cells]
    for at, text in overlay.cells:
        style = cells[at][1]
        underline = style.underline if text == " " else 1
        cells[at] = text, msgspec.structs.replace(style, underline=underline)
    if cursor_is_drawn and overlay.x < len(cells):
        text, style = cells[overlay.x]
        cells[overlay.x] = text, _with(style, inverse=True)
    return PaintRow(Row(tuple(runs(cells)), row.row.wrapped), row.width)


def _with(style: Style, *, inverse: bool) -> Style:
    flags = style.flags | INVERSE if inverse else style.flags & ~INVERSE
    return style if flags == style.flags else msgspec.structs.replace(style, flags=flags)
