"""Words, lines and paragraphs: where each motion goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.text import motions
from nagomi_tui.text.selection import At, grid_row
from tests.helpers.grid import Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.text.selection import Grid, GridRow


def row(text: str, *, wrapped: bool = False) -> GridRow:
    return grid_row([(char, 1 if char.isascii() else 2) for char in text], wrapped)


PAGE = Page(
    {
        0: row("def run(self):  "),
        1: row("    return self.na", wrapped=True),
        2: row("me + x"),
        3: row(""),
        4: row("   "),
        5: row("今日はテストの日です"),
        6: row(""),
        7: row("src/app.py:12: bad-word here"),
    },
    0,
    7,
)


@pytest.mark.parametrize(
    ("motion", "start", "goal"),
    [
        (motions.word_next, (0, 0), (0, 4)),
        (motions.word_next, (0, 4), (0, 7)),
        (motions.word_next, (0, 8), (0, 12)),
        (motions.word_next, (0, 12), (1, 4)),
        (motions.word_next, (1, 16), (2, 3)),
        (motions.word_next, (2, 5), (5, 0)),
        (motions.word_next, (5, 0), (5, 4)),
        (motions.word_next, (5, 4), (5, 6)),
        (motions.word_next, (7, 24), (7, 27)),
        (motions.word_end, (0, 0), (0, 2)),
        (motions.word_end, (0, 2), (0, 6)),
        (motions.word_end, (1, 15), (2, 1)),
        (motions.word_end, (2, 1), (2, 3)),
        (motions.word_end, (2, 5), (5, 2)),
        (motions.word_previous, (0, 6), (0, 4)),
        (motions.word_previous, (0, 4), (0, 0)),
        (motions.word_previous, (0, 0), (0, 0)),
        (motions.word_previous, (2, 3), (1, 16)),
        (motions.word_previous, (5, 0), (2, 5)),
        (motions.word_previous, (5, 4), (5, 0)),
        (motions.line_start, (2, 4), (1, 0)),
        (motions.line_text, (2, 4), (1, 4)),
        (motions.line_end, (1, 2), (2, 5)),
        (motions.line_end, (0, 2), (0, 13)),
        (motions.line_end, (5, 0), (5, 18)),
        (motions.line_end, (3, 0), (3, 0)),
        (motions.right, (5, 0), (5, 2)),
        (motions.right, (5, 18), (5, 18)),
        (motions.right, (0, 13), (0, 13)),
        (motions.left, (5, 2), (5, 0)),
        (motions.left, (0, 0), (0, 0)),
    ],
)
def test_motion(
    motion: Callable[[Grid, At], At], start: tuple[int, int], goal: tuple[int, int]
) -> None:
    assert motion(PAGE, At(*start)) == At(*goal)


@pytest.mark.parametrize(
    ("line", "step", "goal"), [(0, 1, 3), (3, 1, 6), (6, 1, 7), (7, -1, 6), (6, -1, 4), (2, -1, 0)]
)
def test_paragraphs_end_at_blank_lines(line: int, step: int, goal: int) -> None:
    assert motions.paragraph(PAGE, At(line, 3), step) == At(goal, 0)


@pytest.mark.parametrize("step", [1, -1])
def test_a_paragraph_without_an_end_is_left_after_5000_rows(step: int) -> None:
    page = Page(dict.fromkeys(range(20_000), row("text")), 0, 19_999)
    assert motions.paragraph(page, At(10_000, 3), step) == At(10_000 + step * 5_000, 0)


@pytest.mark.parametrize(
    ("at", "paths", "first", "last"),
    [
        ((0, 5), False, (0, 4), (0, 6)),
        ((2, 0), False, (1, 16), (2, 1)),
        ((2, 5), False, (2, 5), (2, 5)),
        ((7, 5), False, (7, 4), (7, 6)),
        ((7, 5), True, (7, 0), (7, 9)),
        ((7, 18), True, (7, 15), (7, 22)),
        ((5, 7), False, (5, 6), (5, 10)),
        ((0, 7), False, (0, 7), (0, 7)),
        ((3, 4), True, (3, 4), (3, 4)),
    ],
)
def test_the_word_at_a_cell(
    at: tuple[int, int], paths: bool, first: tuple[int, int], last: tuple[int, int]
) -> None:
    assert motions.word_around(PAGE, At(*at), paths=paths) == (At(*first), At(*last))
