"""Selected cells and the text copied of them, on rows as values."""

from __future__ import annotations

import pytest

from nagomi_tui.text.selection import (
    END,
    At,
    GridRow,
    MissingLine,
    Selection,
    Shape,
    copied,
    grid_row,
    line_first,
    line_last,
    whole,
    widened,
)
from tests.helpers.grid import Page


def row(text: str, *, wrapped: bool = False) -> GridRow:
    return grid_row([(char, 1 if char.isascii() else 2) for char in text], wrapped)


def page(*rows: GridRow, first: int = 10) -> Page:
    return Page(dict(enumerate(rows, first)), first, first + len(rows) - 1)


PAGE = page(
    row("hello  "),
    row("a long line", wrapped=True),
    row("goes on here"),
    row(""),
    row("日本語 text"),
    row("  end"),
)


def test_a_row_knows_its_characters_and_its_end() -> None:
    wide = row("ab日本")
    assert wide.cells == ("a", "b", "日", "", "本", "")
    assert (wide.start(3), wide.after(2), wide.after(3), wide.end) == (2, 4, 4, 6)
    assert (wide.start(0), wide.start(6), wide.start(-1)) == (0, 6, -1)
    cluster = grid_row([("x", 1), ("👨‍👩‍👧", -2), ("y  ", 1)])
    assert cluster.cells == ("x", "👨‍👩‍👧", "", "y", " ", " ")
    assert (cluster.end, row("  ").end, GridRow().end) == (4, 0, 0)


def test_wrapped_rows_are_one_line() -> None:
    line = whole(PAGE, 12)
    assert (line.first, line.last, line.text) == (11, 12, "a long linegoes on here")
    assert line.places[11] == At(12, 0)
    assert line.place_of(At(12, 3)) == 14
    assert (line_first(PAGE, 12), line_last(PAGE, 11), line_first(PAGE, 10)) == (11, 12, 10)
    assert whole(page(row("cut", wrapped=True)), 10).text == "cut"


def test_a_line_without_an_end_is_followed_over_400_rows() -> None:
    endless = page(*[row("x", wrapped=True)] * 1000, first=0)
    assert (line_first(endless, 700), line_last(endless, 0)) == (300, 400)
    assert line_last(endless, 500) == 900
    assert (whole(endless, 0).last, len(whole(endless, 0).text)) == (400, 401)


@pytest.mark.parametrize(
    ("anchor", "head", "shape", "text"),
    [
        ((10, 0), (10, 4), Shape.TEXT, "hello"),
        ((10, 4), (10, 0), Shape.TEXT, "hello"),
        ((10, 3), (10, 6), Shape.TEXT, "lo"),
        ((10, 3), (11, 3), Shape.TEXT, "lo\na lo"),
        ((11, 7), (12, 3), Shape.TEXT, "linegoes"),
        ((11, 0), (11, 3), Shape.TEXT, "a lo"),
        ((10, 0), (11, 10), Shape.TEXT, "hello\na long line"),
        ((10, 0), (11, 0), Shape.LINES, "hello\na long line"),
        ((12, 8), (14, 1), Shape.TEXT, "here\n\n日"),
        ((14, 1), (14, 2), Shape.TEXT, "日本"),
        ((14, 3), (14, 3), Shape.TEXT, "本"),
        ((11, 3), (12, 1), Shape.LINES, "a long linegoes on here"),
        ((14, 9), (15, 1), Shape.LINES, "日本語 text\n  end"),
        ((10, 1), (12, 3), Shape.BLOCK, "ell\n lo\noes"),
        ((15, 3), (14, 1), Shape.BLOCK, "日本\n en"),
        ((10, 0), (99, 0), Shape.LINES, "hello\na long linegoes on here\n\n日本語 text\n  end"),
    ],
)
def test_copied_text(
    anchor: tuple[int, int], head: tuple[int, int], shape: Shape, text: str
) -> None:
    assert copied(PAGE, Selection(At(*anchor), At(*head), shape)) == text


@pytest.mark.parametrize(
    ("shape", "line", "columns"),
    [
        (Shape.TEXT, 9, None),
        (Shape.TEXT, 10, (5, END)),
        (Shape.TEXT, 11, (0, END)),
        (Shape.TEXT, 12, (0, 3)),
        (Shape.TEXT, 13, None),
        (Shape.LINES, 11, (0, END)),
        (Shape.BLOCK, 11, (2, 6)),
    ],
)
def test_selected_columns(shape: Shape, line: int, columns: tuple[int, int] | None) -> None:
    assert Selection(At(10, 5), At(12, 2), shape).columns(line) == columns


def test_wide_characters_are_never_halved() -> None:
    assert widened(row("a日本b"), 2, 4) == (1, 5)
    assert widened(row("a日本b"), 1, 6) == (1, 6)
    assert widened(row("日"), 1, END) == (0, END)


def test_lines_that_are_no_longer_kept_are_left_out() -> None:
    assert copied(PAGE, Selection(At(4, 3), At(10, 4))) == "hello"


def test_a_line_that_was_not_read_is_named() -> None:
    with pytest.raises(MissingLine) as caught:
        copied(Page({1: row("a")}, 1, 3), Selection(At(1, 0), At(2, 0)))
    assert caught.value.line == 2
