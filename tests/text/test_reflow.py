"""A cell is found again when the rows of lines have become others."""

from __future__ import annotations

import pytest

from nagomi_tui.text.motions import Distance, distance, reached
from nagomi_tui.text.selection import At, GridRow, grid_row, line_last
from tests.helpers.grid import Page

LINES = ["one two three four five", "", "six seven", "eight nine ten eleven twelve", "end"]


def page(width: int, first: int) -> Page:
    rows: list[GridRow] = []
    for line in LINES:
        starts = range(0, max(1, len(line)), width)
        rows += [grid_row([(line[at : at + width], 1)], at != starts[-1]) for at in starts]
    return Page(dict(enumerate(rows, first)), first, first + len(rows) - 1)


def begins(of: Page, line: int) -> int:
    """Return the row in which a line begins."""
    starts = [n for n in of.rows if not of.rows.get(n - 1, GridRow()).wrapped]
    return starts[line]


@pytest.mark.parametrize("after", [5, 10, 40])
@pytest.mark.parametrize("line", range(len(LINES)))
@pytest.mark.parametrize("known", range(len(LINES)))
def test_the_same_text_is_reached(line: int, known: int, after: int) -> None:
    """From the end of a line that is above or below it, or from the line itself."""
    old, new = page(7, 100), page(after, 50)
    at = At(begins(old, line), 0)
    far = distance(old, line_last(old, begins(old, known)), at, 7)
    found = reached(new, line_last(new, begins(new, known)), far, after)
    assert found == At(begins(new, line), 0)
    assert new.row(found.line).text[:5] == LINES[line][: min(5, after)]


def test_a_place_inside_a_line_is_reached() -> None:
    old, new = page(7, 0), page(10, 0)
    far = distance(old, 0, At(2, 3), 7)
    assert LINES[0][2 * 7 + 3] == new.row(reached(new, 0, far, 10).line).text[7]
    assert reached(new, 0, far, 10) == At(1, 7)


def test_beyond_the_lines_that_there_are_the_nearest_is_reached() -> None:
    here = page(7, 100)
    assert reached(here, here.first, Distance(-3, 0), 7) == At(here.first, 0)
    assert reached(here, here.first, Distance(99, 0), 7) == At(here.last, 0)
    going_on = Page(dict.fromkeys((0, 1), grid_row([("one two", 1)], True)), 0, 1)
    assert reached(going_on, 0, Distance(0, 70), 7) == At(1, 0)
