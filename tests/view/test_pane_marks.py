"""Marks over rows: whole characters, colours, and the same object where nothing changed."""

from __future__ import annotations

import pytest
from textual.theme import Theme

from nagomi_tui.text.rows import INVERSE, Row, Run, Style
from nagomi_tui.text.selection import END, At, Look, Marks, Selection, Stretch
from nagomi_tui.view.common.theme import THEMES
from nagomi_tui.view.pane.layers import MarkLayer, looks_of, marked
from nagomi_tui.view.pane.rows import PaintRow

LOOKS = looks_of(THEMES[0])
RED = Style(fg=1)


def shown(row: Row, *stretches: Stretch, width: int = 12, left: int = 0) -> str:
    """Return which cells are selected: `#`, and `+` for the second cell of a wide one."""
    cells = marked(PaintRow(row, width), stretches, left, LOOKS).cells
    background = LOOKS[Look.SELECTED].bg
    return "".join(
        ("#" if text else "+") if style.bg == background else "." for text, style in cells
    )


def selected(first: int, end: int) -> Stretch:
    return Stretch(first, end, Look.SELECTED)


@pytest.mark.parametrize(
    ("first", "end", "left", "picture"),
    [
        (0, 3, 0, "###+........"),
        (3, 4, 0, "..#+........"),
        (2, 3, 0, "..#+........"),
        (4, 20, 0, "....#+######"),
        (0, END, 0, "###+#+##...."),
        (0, 2, 5, "............"),
        (5, 8, 2, "..#+#+......"),
    ],
)
def test_whole_characters_are_marked(first: int, end: int, left: int, picture: str) -> None:
    row = Row((Run("ab", RED), Run("日本", RED, 2), Run("c", RED)))
    if left:
        assert shown(row, selected(first, end), left=left) == picture
    else:
        assert shown(row, selected(first, end)) == picture


def test_an_empty_line_shows_that_it_is_selected() -> None:
    assert shown(Row(), selected(0, END), width=4) == "#..."


def test_text_and_clusters_stay_as_they_are() -> None:
    row = Row(
        (Run("a", RED), Run("👨‍👩‍👧", RED, -2), Run("日本", RED, 2), Run("z", Style(flags=INVERSE)))
    )
    plain = PaintRow(row, 12)
    over = marked(plain, [selected(1, 4), Stretch(6, 9, Look.CURSOR)], 0, LOOKS)
    assert [text for text, _ in over.cells] == [text for text, _ in plain.cells]
    assert over.row.cells == 12
    # What a program turned round would be read in the wrong colours.
    assert over.cells[7][1].flags == 0


def test_a_link_keeps_its_colours() -> None:
    over = marked(PaintRow(Row((Run("abc", RED),)), 5), [Stretch(1, 2, Look.LINK)], 0, LOOKS)
    assert over.cells[1][1] == Style(fg=1, underline=1)


def test_every_theme_has_looks() -> None:
    for theme in (*THEMES, Theme(name="bare", primary="white")):
        looks = looks_of(theme)
        assert {Look.SELECTED, Look.MATCH, Look.FOUND, Look.CURSOR} <= looks.keys()
        assert len({style.bg for style in looks.values()}) == 4


def test_a_row_that_looks_as_before_is_the_same_object() -> None:
    layer, plain = MarkLayer(), [PaintRow(Row((Run(f"row {n}", RED),)), 9) for n in range(3)]  # fmt: skip
    layer.lay(Marks(selection=Selection(At(11, 0), At(11, 2))), LOOKS)
    first = layer.rows(plain, 10, 0)
    assert first[0] is plain[0] and first[1] is not plain[1]
    again = layer.rows([PaintRow(plain[0].row, 9), *plain[1:]], 10, 0)
    assert again[1] is first[1]
    scrolled = layer.rows(plain, 11, 0)
    assert scrolled[1] is plain[1] and scrolled[0].cells[0][1].bg == LOOKS[Look.SELECTED].bg
    layer.lay(None, LOOKS)
    assert layer.rows(plain, 10, 0) == plain
