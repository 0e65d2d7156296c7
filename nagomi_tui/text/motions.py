"""Where the cursor of copy mode goes, and how it is found again after a reflow."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from nagomi_tui.text.selection import At, Grid, line_first, line_last, whole

_BLANK: Final = 0
_PUNCTUATION: Final = 2
_WORD: Final = 3
_SCRIPTS: Final = (("HIRAGANA", 4), ("KATAKANA", 5), ("CJK", 6), ("HANGUL", 7))
_IN_PATHS: Final = frozenset("_-./~+@%#&=?")
"""Beside letters and digits, what a double click takes for one word with its neighbours."""
_FAR: Final = 5_000
"""Rows that are searched for a word or a paragraph before giving up."""


def kind(char: str) -> int:
    """Return the class of a character: neighbours of one class make a word."""
    if not char or char.isspace():
        return _BLANK
    first = char[0]
    if first.isascii():
        return _WORD if first.isalnum() or first == "_" else _PUNCTUATION
    name = unicodedata.name(first, "")
    if first == "ー":
        return 5
    for script, number in _SCRIPTS:
        if name.startswith(script):
            return number
    return _WORD if first.isalnum() else _PUNCTUATION


def path_kind(char: str) -> int:
    """Return the class of a character for a double click, which takes whole paths."""
    return _WORD if char and char in _IN_PATHS else kind(char)


# --- within a line


def line_start(grid: Grid, at: At) -> At:
    return At(line_first(grid, at.line), 0)


def line_text(grid: Grid, at: At) -> At:
    """Return the line's first character that is no blank."""
    start = line_first(grid, at.line)
    cells = grid.row(start).cells
    column = next((n for n, char in enumerate(cells) if char not in ("", " ")), 0)
    return At(start, column)


def line_end(grid: Grid, at: At) -> At:
    """Return the line's last character that is no blank."""
    line = line_last(grid, at.line)
    row = grid.row(line)
    return At(line, row.start(max(0, row.end - 1)))


def right(grid: Grid, at: At) -> At:
    """Return the next character of the row, or this one at its end."""
    row = grid.row(at.line)
    after = row.after(at.column)
    return At(at.line, after) if after < row.end else at


def left(grid: Grid, at: At) -> At:
    return At(at.line, grid.row(at.line).start(max(0, at.column - 1)))


# --- words


def _forward(grid: Grid, at: At) -> Iterator[tuple[At, int]]:
    """Yield the characters from `at` on with their classes; a line's end is a blank."""
    line, column = at
    for number in range(line, min(grid.last, line + _FAR) + 1):
        row = grid.row(number)
        end = len(row.cells) if row.wrapped else row.end
        while column < end:
            yield At(number, column), kind(row.cells[column])
            column = row.after(column)
        if not row.wrapped:
            yield At(number, max(0, row.start(row.end - 1))), _BLANK
        column = 0


def _backward(grid: Grid, at: At) -> Iterator[tuple[At, int]]:
    """Yield the characters before `at` with their classes, nearest first."""
    line, column = at
    for number in range(line, max(grid.first, line - _FAR) - 1, -1):
        row = grid.row(number)
        if number < line:
            column = len(row.cells) if row.wrapped else row.end
            if not row.wrapped:
                yield At(number, column), _BLANK
        column = min(column, len(row.cells))
        while column > 0:
            column = row.start(column - 1)
            yield At(number, column), kind(row.cells[column])


def word_next(grid: Grid, at: At) -> At:
    before: int | None = None
    place = at
    for place, now in _forward(grid, at):
        if before is not None and now != _BLANK and now != before:
            return place
        before = now
    return place


def word_end(grid: Grid, at: At) -> At:
    """Return the end of this word, or of the next one where this is its end."""
    word, last = _BLANK, at
    for place, now in _forward(grid, at):
        if place == at:
            continue
        if word != _BLANK and now != word:
            return last
        word, last = now, place
    return last


def word_previous(grid: Grid, at: At) -> At:
    """Return the start of this word, or of the one before where this is its start."""
    word, last = _BLANK, at
    for place, now in _backward(grid, at):
        if word != _BLANK and now != word:
            return last
        word = now
        if now != _BLANK:
            last = place
    return last


def word_around(grid: Grid, at: At, *, paths: bool = False) -> tuple[At, At]:
    """Return first and last character of the word at a cell, over wrapped rows too."""
    line = whole(grid, at.line)
    at = At(at.line, grid.row(at.line).start(at.column))
    index = line.place_of(at)
    if index >= len(line.text):
        return at, at
    classify = path_kind if paths else kind
    wanted = classify(line.text[index])
    first = last = index
    while first > 0 and classify(line.text[first - 1]) == wanted:
        first -= 1
    while last + 1 < len(line.text) and classify(line.text[last + 1]) == wanted:
        last += 1
    return line.places[first], line.places[last]


# --- paragraphs


def paragraph(grid: Grid, at: At, step: int) -> At:
    """Return the next blank line (`step` 1) or the one before (-1), beyond those here."""
    line = at.line
    seen_text = grid.row(line).end > 0
    while grid.first <= line + step <= grid.last and abs(line - at.line) < _FAR:
        line += step
        blank = grid.row(line).end == 0
        if blank and seen_text:
            break
        seen_text = seen_text or not blank
    return At(line, 0)


class Window(NamedTuple):
    """Which lines are shown, from `top` on, and how many columns the session has."""

    top: int
    height: int
    width: int


class Place(NamedTuple):
    """The cursor's cell, and the column that it returns to in lines that are long enough."""

    at: At
    wish: int

    @classmethod
    def of(cls, at: At) -> Place:
        """Return a place whose wished column is its own."""
        return cls(at, at.column)


_ALONG: Final[dict[str, Callable[[Grid, At], At]]] = {
    "left": left,
    "right": right,
    "word_next": word_next,
    "word_previous": word_previous,
    "word_end": word_end,
    "line_start": line_start,
    "line_text": line_text,
    "line_end": line_end,
    "paragraph_up": lambda grid, at: paragraph(grid, at, -1),
    "paragraph_down": lambda grid, at: paragraph(grid, at, 1),
}
_PAGES: Final = {"half_up": -0.5, "half_down": 0.5, "page_up": -1.0, "page_down": 1.0}
_IN_WINDOW: Final = {"top": 0.0, "middle": 0.5, "bottom": 1.0}
MOTIONS: Final = frozenset([*_ALONG, *_PAGES, *_IN_WINDOW, "up", "down", "first", "last"])


def move(
    grid: Grid, place: Place, motion: str, window: Window, *, times: int = 1, free: bool = False
) -> Place:
    """Return where a motion leads; `free` lets the cursor stand behind a line's end, for blocks."""
    if free and motion in ("left", "right"):
        column = place.at.column + (times if motion == "right" else -times)
        return Place.of(At(place.at.line, max(0, min(column, window.width - 1))))
    if motion in _ALONG:
        at = place.at
        for _ in range(times):
            at = _ALONG[motion](grid, at)
        return Place(at, window.width if motion == "line_end" else at.column)
    return landed(grid, _line(grid, place.at.line, motion, window, times), place.wish, free=free)


def _line(grid: Grid, line: int, motion: str, window: Window, times: int) -> int:
    if motion in _PAGES:
        return line + int(_PAGES[motion] * max(2, window.height - 1)) * times
    if motion in _IN_WINDOW:
        return window.top + round(_IN_WINDOW[motion] * (window.height - 1))
    if motion == "first":
        return grid.first
    if motion == "last":
        return grid.last if times == 1 else grid.first + times - 1
    return line + (times if motion == "down" else -times)


def landed(grid: Grid, line: int, wish: int, *, free: bool = False) -> Place:
    """Return the place on a line that is nearest to a wished column."""
    line = max(grid.first, min(line, grid.last))
    row = grid.row(line)
    if free:
        return Place(At(line, wish), wish)
    return Place(At(line, row.start(max(0, min(wish, row.end - 1)))), wish)


def top_for(line: int, window: Window) -> int:
    """Return the first line to show so that `line` is visible; unchanged if it is visible now.

    A line that is far away comes to the middle of the window.
    """
    if window.top - window.height <= line < window.top:
        return line
    if window.top <= line < window.top + 2 * window.height:
        return max(window.top, line - window.height + 1)
    return line - window.height // 2


class Distance(NamedTuple):
    """A cell's distance from a row: line ends between them (less than 0 where the row is below it),
    and cells before it in its line."""

    lines: int
    cells: int


def distance(grid: Grid, start: int, at: At, width: int) -> Distance:
    """Return how far a cell is below a row, or above it."""
    upper, lower = sorted((start, at.line))
    lines = sum(not grid.row(line).wrapped for line in range(upper, lower))
    cells = (at.line - line_first(grid, at.line)) * width + at.column
    return Distance(lines if at.line > start else -lines, cells)


def reached(grid: Grid, start: int, far: Distance, width: int) -> At:
    """Return the cell at a distance from a row."""
    line, lines = start, far.lines
    while lines > 0 and line < grid.last:
        lines -= not grid.row(line).wrapped
        line += 1
    line = line_first(grid, line)
    while lines < 0 and line > grid.first:
        lines += 1
        line = line_first(grid, line - 1)
    rows, column = divmod(far.cells, max(1, width))
    while rows and line < grid.last and grid.row(line).wrapped:
        rows, line = rows - 1, line + 1
    return At(line, column)
