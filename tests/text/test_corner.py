"""Notices: in the corner where they hide least, as a table of examples."""

from __future__ import annotations

import pytest

from nagomi_tui.text.layout import Box, Corner, free_corner, room

_LOWER_RIGHT, _UPPER_RIGHT = Corner(top=False, left=False), Corner(top=True, left=False)
_LOWER_LEFT, _UPPER_LEFT = Corner(top=False, left=True), Corner(top=True, left=True)
_PROMPT = Box(0, 20, 80, 3)


@pytest.mark.parametrize(
    ("typed", "calling", "corner"),
    [
        ([], [], _LOWER_RIGHT),
        ([_PROMPT], [], _UPPER_RIGHT),
        ([], [Box(40, 12, 40, 11)], _UPPER_RIGHT),
        ([_PROMPT], [Box(40, 1, 40, 11)], _UPPER_LEFT),
        ([Box(40, 1, 40, 22)], [Box(0, 12, 40, 11)], _UPPER_LEFT),
        ([Box(40, 1, 40, 22)], [Box(0, 1, 40, 11)], _LOWER_LEFT),
        ([_PROMPT], [Box(0, 1, 80, 18)], _UPPER_RIGHT),
    ],
)
@pytest.mark.requirement("N-48")
def test_a_notice_hides_neither_what_is_typed_into_nor_what_calls(
    typed: list[Box], calling: list[Box], corner: Corner
) -> None:
    assert free_corner(80, 24, typed, calling) == corner


@pytest.mark.requirement("N-48")
def test_of_two_bad_corners_the_one_that_hides_less() -> None:
    everywhere = [Box(0, 1, 80, 22)]
    assert free_corner(80, 24, everywhere, []) == _LOWER_RIGHT
    assert free_corner(80, 24, [Box(0, 4, 80, 19)], []) == _UPPER_RIGHT


@pytest.mark.parametrize(
    ("cols", "rows", "dialog", "corner", "left"),
    [
        (200, 50, Box(64, 12, 72, 26), _LOWER_RIGHT, 48),
        (80, 24, Box(12, 9, 56, 6), _LOWER_RIGHT, 8),
        (80, 24, Box(4, 3, 72, 18), _LOWER_RIGHT, 2),
        (120, 36, Box(16, 2, 88, 14), _LOWER_RIGHT, 19),
        (120, 36, Box(0, 12, 120, 23), _UPPER_RIGHT, 11),
    ],
)
@pytest.mark.requirement("N-48")
def test_a_corner_has_the_rows_that_a_dialog_leaves_of_it(
    cols: int, rows: int, dialog: Box, corner: Corner, left: int
) -> None:
    assert free_corner(cols, rows, [], [], [dialog]) == corner
    assert room(corner, cols, rows, [dialog]) == left


@pytest.mark.requirement("N-48")
def test_a_notice_lies_between_the_bars_and_as_low_as_it_can() -> None:
    assert free_corner(80, 24, [Box(40, 16, 40, 2)], []) == _UPPER_RIGHT
    assert free_corner(80, 24, [Box(40, 14, 40, 2)], []) == _LOWER_RIGHT
    for bar in (Box(0, 0, 80, 1), Box(0, 5, 80, 1)):
        assert free_corner(80, 6, [bar], []) == _LOWER_RIGHT


@pytest.mark.requirement("N-48")
def test_beside_every_dialog_a_corner_has_all_rows_but_the_bars() -> None:
    for corner in (_LOWER_RIGHT, _UPPER_RIGHT):
        assert room(corner, 80, 24, [Box(0, 5, 20, 5)]) == 22
