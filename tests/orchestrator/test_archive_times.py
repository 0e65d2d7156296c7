"""A clock that jumps is not believed at once."""

from __future__ import annotations

from nagomi_tui.orchestrator.history.archive import Clock

DAY = 86_400.0
YEARS = 10 * 365 * DAY


def looks(*times: float) -> Clock:
    clock = Clock(times[0])
    for now in times[1:]:
        clock = clock.looked(now)
    return clock


def test_a_clock_that_goes_on_is_believed() -> None:
    assert looks(0.0, 60.0, DAY, 2.5 * DAY, 4.5 * DAY).doubted is None
    assert looks(0.0, 2 * DAY + 1).doubted == 2 * DAY + 1


def test_a_jump_is_doubted_for_a_day() -> None:
    assert looks(0.0, YEARS).doubted == YEARS
    assert looks(0.0, YEARS, YEARS + DAY / 2).doubted == YEARS
    assert looks(0.0, YEARS, YEARS + DAY).doubted is None
    assert looks(0.0, YEARS, YEARS).doubted == YEARS


def test_a_clock_that_was_put_right_again_is_believed() -> None:
    assert looks(DAY, YEARS, YEARS + 60, DAY + 120) == Clock(DAY + 120)
    assert looks(DAY, 0.0, 60.0).doubted is None


def test_a_second_jump_is_doubted_anew() -> None:
    assert looks(0.0, YEARS, 2 * YEARS).doubted == 2 * YEARS
    assert looks(0.0, YEARS, YEARS + 30 * DAY).doubted is None
    assert looks(0.0, YEARS, YEARS + 30 * DAY + 1).doubted == YEARS + 30 * DAY + 1


def test_who_comes_once_a_week_is_believed_the_next_time() -> None:
    assert looks(0.0, 7 * DAY).doubted == 7 * DAY
    assert looks(0.0, 7 * DAY, 14 * DAY).doubted is None
