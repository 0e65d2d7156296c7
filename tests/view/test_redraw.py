"""Changes are shown at once, but showing takes no more than a part of the time."""

from __future__ import annotations

from nagomi_tui.view.app.messages import Redraw
from tests.helpers.clock import Clock


def redraw(clock: Clock, seconds: float) -> tuple[Redraw, list[float]]:
    """Return what is tested, and the times at which it began to show; showing takes `seconds`."""
    shown: list[float] = []

    def show() -> None:
        shown.append(clock.now)
        clock.now += seconds

    return Redraw(clock, show, clock=clock), shown


def test_the_first_change_is_shown_at_once() -> None:
    clock = Clock()
    made, shown = redraw(clock, 0.1)
    made.soon()
    assert shown == [0.0]


def test_changes_after_it_are_shown_together_after_three_times_as_long() -> None:
    clock = Clock()
    made, shown = redraw(clock, 0.1)
    for _ in range(50):
        made.soon()
    assert shown == [0.0]
    clock.pass_(0.29)
    assert shown == [0.0]
    clock.pass_(0.02)
    assert [round(at, 2) for at in shown] == [0.0, 0.4]
    clock.pass_(60)
    assert len(shown) == 2


def test_after_a_rest_a_change_is_shown_at_once_again() -> None:
    clock = Clock()
    made, shown = redraw(clock, 0.1)
    made.soon()
    clock.pass_(5)
    made.soon()
    assert [round(at, 2) for at in shown] == [0.0, 5.1]
