"""Notices: in the corner where they hide least, as a table of examples."""

from __future__ import annotations

import pytest

from nagomi_tui.core.layout.corner import Box, Corner, free_corner

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
def test_n48_a_notice_hides_neither_what_is_typed_into_nor_what_calls(
    typed: list[Box], calling: list[Box], corner: Corner
) -> None:
    assert free_corner(80, 24, typed, calling) == corner


def test_n48_of_two_bad_corners_the_one_that_hides_less() -> None:
    everywhere = [Box(0, 1, 80, 22)]
    assert free_corner(80, 24, everywhere, []) == _LOWER_RIGHT
    assert free_corner(80, 24, [Box(0, 4, 80, 19)], []) == _UPPER_RIGHT
