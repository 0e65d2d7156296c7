"""Rows of a screen, cut to the part that a smaller view shows."""

from __future__ import annotations

import pytest

from nagomi_tui.text.rows import (
    BLANK,
    BOLD,
    FAINT,
    INVERSE,
    ITALIC,
    PLAIN,
    RGB,
    Row,
    Run,
    Style,
    crop,
    is_bar,
    is_red,
    marked,
    tint,
)

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
    assert all(run.text for run in cut.runs)


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


GREY, BLUE, INVERTED = Style(bg=8), Style(bg=4), Style(flags=INVERSE)
STATUS = Row((Run("status" + " " * 14, INVERTED),))
DIALOG = Row((Run("it ", GREY), Run("[OK]", BLUE), Run("   ", GREY)))


@pytest.mark.parametrize(
    ("row", "width", "shown"),
    [
        (Row((Run("Yes", BLUE), Run("  No", PLAIN))), 20, "⟦Yes⟧  No"),
        (Row((Run("plain", PLAIN),)), 20, ""),
        (BLANK, 20, ""),
        (Row((Run("No ", PLAIN), Run("Yes", INVERTED))), 20, "No ⟦Yes⟧"),
        # A bar from end to end is not lit; the last cell may be missing.
        (STATUS, 20, ""),
        (STATUS, 21, ""),
        (STATUS, 22, "⟦status              ⟧"),
        # On a panel the part is lit that differs from most of it.
        (DIALOG, 10, "it ⟦[OK]⟧"),
        (DIALOG, 40, "it ⟦[OK]⟧"),
        # Blanks are lit only behind a word that is.
        (Row((Run("x", PLAIN), Run("  ", BLUE), Run("y", PLAIN))), 20, ""),
        (Row((Run("  ", BLUE), Run("ab", Style(fg=1, bg=4)))), 20, "  ⟦ab⟧"),
        (Row((Run("ab", BLUE), Run("  ", Style(fg=1, bg=4)), Run("c", PLAIN))), 20, "⟦ab  ⟧c"),
    ],
)
def test_what_is_lit_stands_between_signs(row: Row, width: int, shown: str) -> None:
    assert marked(row, width) == shown


def test_a_bar_is_lit_in_every_cell_but_perhaps_the_last() -> None:
    assert [is_bar(STATUS, width) for width in (19, 20, 21, 22)] == [True, True, True, False]
    assert is_bar(DIALOG, 10)
    assert not is_bar(Row((Run("a" * 10, BLUE), Run("b" * 10, PLAIN))), 20)
    assert not is_bar(Row((Run("b" * 20, PLAIN),)), 20)


def test_rows_of_other_colours_or_weights_have_other_tints() -> None:
    styles = [Style(fg=1), Style(fg=2), Style(flags=BOLD), Style(flags=FAINT), Style(1, 0, BOLD)]
    tints = [tint(Row((Run("abc", style),))) for style in styles]
    assert len({0, *tints}) == 6
    assert tint(Row((Run("xyz", styles[0]),))) == tints[0]
    assert tint(Row((Run("ab", styles[0]), Run("c", PLAIN)))) not in (0, tints[0])
    for style in (PLAIN, Style(bg=3, underline=1), Style(flags=ITALIC | INVERSE)):
        assert tint(Row((Run("abc", style),))) == 0


@pytest.mark.parametrize(
    ("color", "red"),
    [
        (-1, False), (0, False), (1, True), (2, False), (9, True), (196, True), (200, False),
        (RGB | 0x900000, True), (RGB | 0x8F0000, False), (RGB | 0xFF5050, True),
        (RGB | 0x905800, True), (RGB | 0x905900, False), (RGB | 0x900058, True),
        (RGB | 0x900059, False), (RGB | 0xFFFFFF, False), (RGB | 0x0000FF, False), (RGB, False),
    ],
)  # fmt: skip
def test_a_row_is_red_by_its_first_word(color: int, red: bool) -> None:
    letters, sign = Run("no", Style(fg=color)), Run("• ", Style(fg=1))
    assert is_red(Row((letters, Run(" more", PLAIN)))) is red
    assert is_red(Row((sign, letters))) is red
    assert not is_red(Row((sign, Run("plain", PLAIN), letters)))
    assert not is_red(Row((sign,)))
