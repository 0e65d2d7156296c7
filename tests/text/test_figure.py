"""The character takes what the programs can spare."""

from __future__ import annotations

import pytest

from nagomi_tui.text.layout import LANE, SIDE, Figure, figure


@pytest.mark.parametrize(
    ("cols", "rows", "lanes", "shown"),
    [
        (200, 48, 1, Figure.LARGE),
        (110, 34, 1, Figure.LARGE),
        (109, 48, 1, Figure.SMALL),
        (200, 33, 1, Figure.SMALL),
        (102, 22, 1, Figure.SMALL),
        (102, 21, 1, Figure.SMALL),
        (101, 48, 1, Figure.LINE),
        (120, 20, 1, Figure.LINE),
        (80, 22, 1, Figure.LINE),
        (160, 43, 1, Figure.LARGE),
        (160, 43, 2, Figure.LINE),
        (200, 48, 2, Figure.LARGE),
        (190, 48, 2, Figure.SMALL),
        (40, 10, 1, Figure.LINE),
        (39, 48, 1, Figure.OFF),
    ],
)
@pytest.mark.requirement("N-31")
def test_the_character_shrinks_before_the_programs_do(
    cols: int, rows: int, lanes: int, shown: Figure
) -> None:
    assert figure(cols, rows, lanes=lanes) is shown


@pytest.mark.parametrize("lanes", [1, 2, 3])
@pytest.mark.parametrize("cols", [80, 102, 120, 160, 200, 280])
@pytest.mark.requirement("N-31")
def test_beside_a_picture_each_program_has_80_columns(cols: int, lanes: int) -> None:
    shown = figure(cols, 48, lanes=lanes)
    assert shown not in SIDE or (cols - SIDE[shown]) // lanes >= LANE


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
@pytest.mark.requirement("N-31")
def test_it_is_never_larger_than_wished(wish: str, pictures: bool, shown: Figure) -> None:
    assert figure(200, 48, wish=wish, pictures=pictures) is shown
