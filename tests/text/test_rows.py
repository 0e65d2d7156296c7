"""Rows of a screen, cut to the part that a smaller view shows."""

from __future__ import annotations

import pytest

from nagomi_tui.text.rows import BLANK, PLAIN, Row, Run, Style, crop

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WIDE = Row((Run("ab", PLAIN), Run("日本語", PLAIN, 2), Run("c", PLAIN)), wrapped=True)
CLUSTER = Row((Run("x", PLAIN), Run(FAMILY, PLAIN, -2), Run("y", PLAIN)))


@pytest.mark.parametrize(
    ("row", "left", "width", "shown"),
    [
        (WIDE, 0, 9, "ab日本語c"),
        (WIDE, 0, 1, "a"),
        (WIDE, 1, 3, "b日"),
        (WIDE, 1, 4, "b日 "),
        (WIDE, 2, 2, "日"),
        (WIDE, 3, 2, "  "),
        (WIDE, 3, 4, " 本 "),
        (WIDE, 4, 2, "本"),
        (WIDE, 3, 5, " 本語"),
        (WIDE, 2, 6, "日本語"),
        (WIDE, 7, 5, " c"),
        (WIDE, 8, 1, "c"),
        (WIDE, 9, 4, ""),
        (CLUSTER, 0, 2, "x "),
        (CLUSTER, 1, 2, FAMILY),
        (CLUSTER, 2, 2, " y"),
        (CLUSTER, 2, 1, " "),
    ],
)
@pytest.mark.requirement("NB-19")
def test_half_a_wide_character_is_a_space(row: Row, left: int, width: int, shown: str) -> None:
    cut = crop(row, left, width)
    assert "".join(run.text for run in cut.runs) == shown
    assert cut.cells == max(0, min(width, row.cells - left))
    assert cut.wrapped == row.wrapped


def test_a_row_that_fits_and_a_run_that_stays_whole_are_the_same_objects() -> None:
    assert crop(WIDE, 0, 9) is WIDE
    assert crop(BLANK, 0, 0) is BLANK
    assert crop(WIDE, 1, 8).runs[1] is WIDE.runs[1]


def test_what_is_cut_keeps_its_look() -> None:
    red = Style(fg=1)
    row = Row((Run("abc", red), Run("日本", red, 2), Run(FAMILY, red, -2)))
    assert {run.style for run in crop(row, 1, 7).runs} == {red}


def test_cells_are_counted_by_the_unit_of_each_run() -> None:
    assert [run.cells for run in (*WIDE.runs, *CLUSTER.runs)] == [2, 6, 1, 1, 2, 1]
