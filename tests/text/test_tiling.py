"""Tiles are placed by arithmetic; these tables are its examples."""

from __future__ import annotations

import pytest

from nagomi_tui.text import layout
from nagomi_tui.text.layout import Place


@pytest.mark.parametrize(
    ("width", "count", "columns"),
    [
        (40, 4, 1), (80, 4, 1), (119, 4, 1), (120, 4, 2), (160, 9, 2), (179, 9, 2), (180, 9, 3),
        (200, 9, 3), (240, 9, 4), (400, 16, 4), (240, 3, 3), (200, 1, 1), (120, 2, 2),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-38")
def test_two_columns_by_default_and_two_to_four_by_width(
    width: int, count: int, columns: int
) -> None:
    assert layout.columns_for(width, count) == columns
    assert layout.tile(count, width, 40).columns == columns


@pytest.mark.requirement("N-38")
def test_columns_are_as_wide_as_a_setting_says() -> None:
    assert layout.columns_for(160, 4, 40) == 4
    assert layout.tile(4, 160, 40, min_columns=100).columns == 1


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 9, 16])
@pytest.mark.parametrize(("width", "height"), [(60, 18), (80, 22), (120, 28), (200, 48)])
@pytest.mark.parametrize("enlarged", [None, 0, 1, 6])
@pytest.mark.requirement("N-38")
def test_tiles_fill_the_area_without_overlap(
    count: int, width: int, height: int, enlarged: int | None
) -> None:
    if enlarged is not None and enlarged >= count:
        enlarged = count - 1
    made = layout.tile(count, width, height, enlarged=enlarged)
    cells = [
        (x, y)
        for place in made.places
        for x in range(place.x, place.x + place.width)
        for y in range(place.y, place.bottom)
    ]
    assert len(cells) == len(set(cells)) == width * made.height
    assert all(place.height >= layout.MIN_ROWS for place in made.places)


@pytest.mark.requirement("N-39")
def test_the_focused_tile_has_1_8_times_its_size_where_there_is_room() -> None:
    equal, made = layout.tile(9, 240, 72), layout.tile(9, 240, 72, enlarged=5)
    assert equal.columns == 4 and (equal.places[5].width, equal.places[5].height) == (60, 24)
    assert (made.places[5].width, made.places[5].height) == (108, 44)
    assert {made.places[at].width for at in (4, 6, 7)} == {44}


@pytest.mark.requirement("N-39")
def test_the_tiles_beside_it_keep_32_columns_and_10_rows() -> None:
    made = layout.tile(4, 124, 28, enlarged=3)
    assert made.places == (
        Place(0, 0, 62, 10),
        Place(62, 0, 62, 10),
        Place(0, 10, 32, 18),
        Place(32, 10, 92, 18),
    )


@pytest.mark.requirement("N-39")
def test_where_all_are_small_it_weighs_1_8_against_the_others() -> None:
    made = layout.tile(4, 70, 18, enlarged=3, min_columns=30)
    assert made.places[3] == Place(25, 6, 45, 12)
    assert (layout.ENLARGED, 45 / 25) == (1.8, 1.8)


@pytest.mark.parametrize(
    ("count", "area", "asking", "heights"),
    [
        (1, (80, 22), 0, [22]),
        (2, (80, 22), 1, [5, 17]),
        (3, (60, 38), 1, [7, 24, 7]),
        (4, (120, 33), 0, [24, 9]),
        (4, (120, 33), 3, [9, 24]),
        (4, (120, 60), 3, [30, 30]),
        (3, (80, 22), 0, [12, 5, 5]),
        (3, (80, 20), 1, [5, 10, 5]),
        (4, (80, 22), 2, [5, 5, 22, 5]),  # seven rows would be too few, so the grid scrolls
    ],
)
def test_the_tile_that_asks_has_24_rows_as_far_as_the_others_keep_five(
    count: int, area: tuple[int, int], asking: int, heights: list[int]
) -> None:
    made = layout.tile(count, *area, asking=asking)
    assert [place.height for place in made.places if place.x == 0] == heights
    assert made.height == sum(heights)


@pytest.mark.requirement("N-40")
def test_without_focus_all_tiles_are_equal() -> None:
    assert {place.width for place in layout.tile(4, 120, 30).places} == {60}
    assert {place.height for place in layout.tile(4, 120, 30).places} == {15}


def test_tiles_have_at_least_five_rows_then_the_grid_is_higher_than_the_area() -> None:
    made = layout.tile(16, 80, 22, min_columns=40)
    assert made.height == 40
    assert {place.height for place in made.places} == {5}


def test_a_last_row_that_is_not_full_is_shared() -> None:
    made = layout.tile(3, 120, 20)
    assert made.places[2] == Place(0, 10, 120, 10)


@pytest.mark.parametrize(
    ("at", "direction", "to"),
    [
        (0, "right", 1), (1, "right", 1), (1, "left", 0), (0, "down", 2), (1, "down", 3),
        (3, "up", 1), (0, "up", 0), (4, "up", 2), (3, "down", 4), (4, "down", 4), (2, "left", 2),
    ],
)  # fmt: skip
def test_arrows_move_to_the_tile_that_lies_there(at: int, direction: str, to: int) -> None:
    made = layout.tile(5, 120, 40)
    assert layout.neighbour(made, at, direction) == to


@pytest.mark.parametrize(
    ("count", "at", "direction", "to"),
    [
        (5, 0, "down", 3), (5, 1, "down", 3), (5, 2, "down", 4), (5, 3, "up", 0), (5, 4, "up", 2),
        (4, 3, "up", 1), (4, 2, "down", 3), (5, 4, "right", 4), (5, 3, "left", 3), (5, 2, "right", 2),
    ],
)  # fmt: skip
def test_arrows_go_to_the_tile_across_from_the_middle(
    count: int, at: int, direction: str, to: int
) -> None:
    made = layout.tile(count, 180, 40)
    assert made.columns == 3
    assert layout.neighbour(made, at, direction) == to


def test_among_two_tiles_across_the_one_with_the_nearer_middle_is_taken() -> None:
    wide, narrow, below = Place(0, 0, 90, 5), Place(90, 0, 30, 5), Place(80, 5, 20, 5)
    made = layout.Tiling((wide, narrow, below), 2, 10)
    assert layout.neighbour(made, 2, "up") == 1
    far = layout.Tiling((Place(0, 0, 10, 5), Place(30, 0, 10, 5), Place(12, 5, 4, 5)), 2, 10)
    assert layout.neighbour(far, 2, "up") == 0


@pytest.mark.parametrize(
    ("total", "weights", "least", "parts"),
    [
        (14, [1.8, 1.0], 5, [9, 5]),
        (12, [1.8, 1.0], 5, [6, 6]),
        (16, [1.8, 1.0], 6, [10, 6]),
        (7, [1.0, 1.0, 1.0], 5, [2, 3, 2]),
        (10, [1.0, 1.0], 0, [5, 5]),
    ],
)
@pytest.mark.requirement("N-38")
def test_shares_follow_the_weights_but_for_the_least(
    total: int, weights: list[float], least: int, parts: list[int]
) -> None:
    assert layout.shares(total, weights, least) == parts
    assert sum(parts) == total


@pytest.mark.parametrize(
    ("at", "top", "expected"),
    [(0, 10, 0), (7, 0, 0), (15, 0, 18), (9, 0, 3), (3, 3, 3), (15, 30, 18)],
)
def test_the_grid_scrolls_no_further_than_needed(at: int, top: int, expected: int) -> None:
    made = layout.tile(16, 80, 22, min_columns=40)
    assert layout.scroll_to_show(made, at, top=top, height=22) == expected


def test_tiles_out_of_sight_are_known_on_both_sides() -> None:
    made = layout.tile(16, 80, 22, min_columns=40)
    above, below = layout.hidden(made, top=5, height=22)
    assert above == [0, 1]
    assert below == [12, 13, 14, 15]
    assert layout.hidden(made, top=8, height=22)[1] == [12, 13, 14, 15]


def test_a_tile_is_unseen_only_where_no_row_of_it_is_seen() -> None:
    made = layout.tile(16, 80, 22, min_columns=40)
    height = made.places[0].height
    assert layout.unseen(made, top=0, height=22) == {10, 11, 12, 13, 14, 15}
    assert layout.unseen(made, top=0, height=20) == {8, 9, 10, 11, 12, 13, 14, 15}
    assert layout.unseen(made, top=height - 1, height=22) & {0, 1} == set()
    assert layout.unseen(made, top=height, height=22) >= {0, 1}


def test_nothing_to_tile_is_no_tiling() -> None:
    assert layout.tile(0, 80, 24).places == ()
    assert layout.tile(3, 0, 24).places == ()
    assert layout.tile(3, 80, 0).places == ()


def test_a_window_is_filled_while_there_is_something_before_it() -> None:
    assert [layout.filled(start, size=10, used=12) for start in (0, 1, 2, 5)] == [0, 1, 2, 2]
    assert layout.filled(5, size=10, used=8) == 0
