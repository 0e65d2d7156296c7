"""The character takes what the lanes can spare."""

from __future__ import annotations

import pytest

from nagomi_tui.core.layout.figure import FEET, LOW, LOW_FOOT, Figure, figure, foot


@pytest.mark.parametrize(
    ("cols", "rows", "shown"),
    [
        (200, 48, Figure.LARGE),
        (100, 34, Figure.LARGE),
        (99, 48, Figure.SMALL),
        (200, 33, Figure.SMALL),
        (80, 22, Figure.SMALL),
        (79, 48, Figure.LINE),
        (80, 20, Figure.LINE),
        (40, 10, Figure.LINE),
        (39, 48, Figure.OFF),
    ],
)
def test_n31_the_character_shrinks_with_the_view(cols: int, rows: int, shown: Figure) -> None:
    assert figure(cols, rows) is shown


@pytest.mark.parametrize(
    ("wish", "pictures", "shown"),
    [
        ("auto", True, Figure.LARGE),
        ("small", True, Figure.SMALL),
        ("line", True, Figure.LINE),
        ("off", True, Figure.OFF),
        ("auto", False, Figure.LINE),
        ("off", False, Figure.OFF),
    ],
)
def test_n31_it_is_never_larger_than_wished(wish: str, pictures: bool, shown: Figure) -> None:
    assert figure(200, 48, wish=wish, pictures=pictures) is shown


@pytest.mark.parametrize("cols", [40, 80, 120, 200])
@pytest.mark.parametrize("rows", [10, 17, 18, 22, 34, 48])
def test_n31_lanes_keep_more_than_half_of_the_view(cols: int, rows: int) -> None:
    assert foot(figure(cols, rows), rows).rows * 2 < rows


@pytest.mark.parametrize("shown", Figure)
def test_n31_only_a_low_screen_has_a_low_foot(shown: Figure) -> None:
    assert (foot(shown, LOW), foot(shown, LOW - 1)) == (FEET[shown], LOW_FOOT)
