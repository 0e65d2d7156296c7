"""Lays marks and predicted echo over a pane's rows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final, NamedTuple

import msgspec
from textual.color import Color
from textual.theme import Theme

from nagomi_tui.text.predicted_echo import CursorLine, Overlay, PredictedEcho
from nagomi_tui.text.rows import INVERSE, INVISIBLE, RGB, Cursor, Row, Run, Style
from nagomi_tui.text.selection import END, Look, Marks, Stretch
from nagomi_tui.view.pane.rows import Cell, PaintRow, whole_characters

_HIDDEN: Final = INVERSE | INVISIBLE
"""What would turn a mark's colours round, or hide the text under it."""
_PLAIN_LOOKS: Final = {
    Look.SELECTED: Style(fg=15, bg=4),
    Look.MATCH: Style(fg=0, bg=3),
    Look.FOUND: Style(fg=0, bg=11),
    Look.CURSOR: Style(fg=0, bg=7),
}


def looks_of(theme: Theme) -> Mapping[Look, Style]:
    """Return the colours of marks that go with a theme."""
    paper, ink = theme.background, theme.foreground
    if not (paper and ink and theme.warning and theme.accent):
        return _PLAIN_LOOKS
    return {
        Look.SELECTED: Style(fg=_rgb(ink), bg=_between(paper, theme.primary, 0.36)),
        Look.MATCH: Style(fg=_rgb(ink), bg=_between(paper, theme.warning, 0.42)),
        Look.FOUND: Style(fg=_rgb(paper), bg=_rgb(theme.accent)),
        Look.CURSOR: Style(fg=_rgb(paper), bg=_rgb(ink)),
    }


def _between(paper: str, color: str, part: float) -> int:
    return _rgb(Color.parse(paper).blend(Color.parse(color), part).hex)


def _rgb(color: str) -> int:
    red, green, blue = Color.parse(color).rgb
    return RGB | red << 16 | green << 8 | blue


class MarkLayer:
    """Lays marks over rows; a row that looks as before stays the same object."""

    def __init__(self) -> None:
        self._marks: Marks | None = None
        self._looks: Mapping[Look, Style] = {}
        self._laid: dict[int, tuple[PaintRow, tuple[Stretch, ...], int, PaintRow]] = {}

    def lay(self, marks: Marks | None, looks: Mapping[Look, Style]) -> None:
        """Lay other marks from now on."""
        if looks is not self._looks:
            self.forget()
        self._marks, self._looks = marks, looks

    def forget(self) -> None:
        self._laid = {}

    def rows(self, plain: list[PaintRow], top: int, left: int) -> list[PaintRow]:
        """Return the rows as they are shown, for lines from `top` and columns from `left` on."""
        if self._marks is None:
            return list(plain)
        return [self._row(y, row, self._marks.on(top + y), left) for y, row in enumerate(plain)]

    def _row(self, y: int, plain: PaintRow, stretches: tuple[Stretch, ...], left: int) -> PaintRow:
        if not stretches:
            return plain
        kept = self._laid.get(y)
        if kept is not None and kept[0] is plain and kept[1:3] == (stretches, left):
            return kept[3]
        row = marked(plain, stretches, left, self._looks)
        self._laid[y] = (plain, stretches, left, row)
        return row


def marked(
    row: PaintRow, stretches: Iterable[Stretch], left: int, looks: Mapping[Look, Style]
) -> PaintRow:
    """Return the row with stretches over it; `left` is the column of its first cell."""
    cells = list(row.cells)
    for stretch in stretches:
        # Of an open end no more than the text is shown, and one cell for an empty line.
        end = row.row.cells + 1 if stretch.end >= END else stretch.end - left
        first = max(0, stretch.first - left)
        end = min(end, row.width)
        for at in range(*whole_characters(cells, first, end)) if first < end else ():
            text, style = cells[at]
            cells[at] = (text, _over(style, stretch.look, looks))
    return PaintRow(Row(tuple(runs(cells)), row.row.wrapped), row.width)


def _over(style: Style, look: Look, looks: Mapping[Look, Style]) -> Style:
    if look is Look.LINK:
        return msgspec.structs.replace(style, underline=1)
    over = looks[look]
    return msgspec.structs.replace(style, fg=over.fg, bg=over.bg, flags=style.flags & ~_HIDDEN)


def runs(cells: list[Cell]) -> Iterable[Run]:
    """Yield the cells as runs again; a cluster is a run of its own."""
    units = [_unit(cells, at) for at in range(len(cells))]
    kept = [(text, style, unit) for (text, style), unit in zip(cells, units, strict=True) if text]
    for (style, unit), group in groupby(kept, key=lambda cell: cell[1:]):
        texts = [text for text, _, _ in group]
        if unit > 0:
            yield Run("".join(texts), style, unit)
        else:
            yield from (Run(text, style, unit) for text in texts)


def _unit(cells: list[Cell], at: int) -> int:
    width = 1
    while at + width < len(cells) and not cells[at + width][0]:
        width += 1
    return width if len(cells[at][0]) <= 1 and width <= 2 else -width


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
            self._laid = laid = (
                rows[y],
                overlay,
                _over_echo(rows[y], overlay, cursor_is_drawn=drawn),
            )
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


def _over_echo(row: PaintRow, overlay: Overlay, *, cursor_is_drawn: bool) -> PaintRow:
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
