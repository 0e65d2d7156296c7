"""Copy mode's cursor: up and down, pages, ends, and what has to be shown for it."""

from __future__ import annotations

import pytest

from nagomi_tui.text.motions import MOTIONS, Place, Window, landed, move, top_for
from nagomi_tui.text.selection import At, MissingLine, grid_row
from tests.helpers.grid import Page

TEXTS = ["a long first line", "", "日本語", "short"] + [f"line {n}" for n in range(96)]
PAGE = Page(
    {n: grid_row([(c, 1 if c.isascii() else 2) for c in t]) for n, t in enumerate(TEXTS)}, 0, 99
)
WINDOW = Window(top=20, height=11, width=80)


@pytest.mark.parametrize(
    ("motion", "times", "start", "goal"),
    [
        ("down", 1, (0, 9), (1, 0)),
        ("down", 2, (0, 9), (2, 4)),
        ("down", 3, (0, 3), (3, 3)),
        ("up", 5, (3, 0), (0, 0)),
        ("down", 500, (3, 0), (99, 0)),
        ("half_up", 1, (30, 2), (25, 2)),
        ("half_down", 2, (30, 2), (40, 2)),
        ("page_up", 1, (30, 2), (20, 2)),
        ("page_down", 1, (95, 2), (99, 2)),
        ("top", 1, (25, 2), (20, 2)),
        ("middle", 1, (25, 2), (25, 2)),
        ("bottom", 1, (25, 2), (30, 2)),
        ("first", 1, (25, 2), (0, 2)),
        ("last", 1, (25, 2), (99, 2)),
        ("last", 12, (25, 2), (11, 2)),
        ("right", 3, (0, 0), (0, 3)),
        ("word_next", 2, (0, 0), (0, 7)),
    ],
)
def test_motion(motion: str, times: int, start: tuple[int, int], goal: tuple[int, int]) -> None:
    assert motion in MOTIONS
    assert move(PAGE, Place.of(At(*start)), motion, WINDOW, times=times).at == At(*goal)


def test_the_column_is_kept_over_short_lines() -> None:
    place = Place.of(At(0, 9))
    for _ in range(3):
        place = move(PAGE, place, "down", WINDOW)
    assert place == Place(At(3, 4), 9)
    assert move(PAGE, place, "up", WINDOW, times=3).at == At(0, 9)
    end = move(PAGE, Place.of(At(3, 0)), "line_end", WINDOW)
    assert move(PAGE, end, "up", WINDOW, times=3).at == At(0, 16)


def test_a_block_reaches_behind_the_ends_of_lines() -> None:
    place = move(PAGE, Place.of(At(1, 0)), "right", WINDOW, times=6, free=True)
    assert place.at == At(1, 6)
    assert move(PAGE, place, "down", WINDOW, times=2, free=True).at == At(3, 6)
    assert move(PAGE, place, "right", WINDOW, times=200, free=True).at == At(1, 79)


@pytest.mark.parametrize(
    ("line", "top"),
    [
        (25, 20),
        (19, 19),
        (31, 21),
        (12, 12),
        (41, 31),
        (42, 37),
        (5, 0),
        (90, 85),
        (9, 9),
        (8, 3),
        (20, 20),
        (30, 20),
    ],
)
def test_a_line_is_brought_into_view(line: int, top: int) -> None:
    assert top_for(line, WINDOW) == top


def test_a_line_that_was_not_read_is_named() -> None:
    with pytest.raises(MissingLine):
        landed(Page({}, 0, 5), 3, 0)
