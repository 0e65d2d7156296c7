"""Frames to a far terminal: no more on their way than it shows."""

from __future__ import annotations

import pytest

from nagomi_tui.view.driver.modes import STATUS_QUERY
from nagomi_tui.view.driver.terminal_writer import FramePace, LinkBudget


def test_frames_wait_for_answers_but_an_echo_goes_ahead() -> None:
    pace = FramePace()
    for _ in range(2):
        assert pace.may_paint(0.0)
        assert pace.painted(0.0, 100) == STATUS_QUERY
    assert not pace.may_paint(0.0)
    assert pace.may_paint(0.0, urgent=True)
    assert pace.answered(0.05) == pytest.approx(0.05)
    assert pace.may_paint(0.05)


def test_an_answer_that_nobody_asked_for_is_none() -> None:
    assert FramePace().answered(1.0) is None


def test_the_window_halves_on_a_full_line_and_grows_on_a_free_one() -> None:
    pace = FramePace()
    now = 0.0
    for _ in range(40):
        while pace.may_paint(now):
            pace.painted(now, 100)
        now += 0.05
        while pace.answered(now) is not None:
            pass
    wide = pace.window
    assert wide > 2
    for _ in range(10):
        pace.painted(now, 100)
        now += 1.0
        pace.answered(now)
    assert pace.window == 1


def test_a_terminal_that_never_answers_gets_a_budget_of_bytes() -> None:
    pace = FramePace()
    pace.painted(0.0, 100)
    pace.painted(0.0, 100)
    assert not pace.may_paint(1.0)
    assert pace.may_paint(2.5)
    assert pace.painted(2.5, 250_000) == ""
    assert not pace.may_paint(2.6)
    assert pace.may_paint(2.6, urgent=True)
    assert pace.may_paint(4.0)


def test_a_stalled_line_does_not_stop_the_picture_for_ever() -> None:
    pace = FramePace()
    pace.painted(0.0, 1)
    pace.answered(0.1)
    for _ in range(2):
        pace.painted(1.0, 1)
    assert not pace.may_paint(3.5)
    assert pace.may_paint(6.5)
    assert pace.window == 1


def test_long_links_are_left_out_of_frames_beyond_a_budget() -> None:
    budget = LinkBudget()
    link = f"\x1b]8;;https://example.org/{'x' * 1500}\x1b\\text\x1b]8;;\x1b\\"
    short = "\x1b]8;;https://example.org/\x1b\\text\x1b]8;;\x1b\\"
    frames = [budget.applied(link * 40, 100.0 + at / 30) for at in range(240)]
    assert frames[0].count("example.org") >= 20
    assert all(frame.count("text") == 40 for frame in frames)
    assert sum(map(len, frames)) < 350_000  # 14.9 MB without it
    assert LinkBudget().applied(short * 200, 100.0) == short * 200
    assert budget.applied("plain", 0.0) == "plain"
