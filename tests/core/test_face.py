"""A face shows the strongest phase and holds a news for four seconds."""

from __future__ import annotations

import pytest

from nagomi_tui.sessions.session import Phase
from nagomi_tui.view.character.faces import Face, settle, show, strongest


def test_n45_the_phases_win_in_this_order() -> None:
    order = ["attention", "error", "success", "running", "thinking", "listening", "idle"]
    for at, name in enumerate(order):
        assert strongest([Phase(weaker) for weaker in reversed(order[at:])]) == name
    assert strongest([]) is Phase.IDLE


def test_n46_a_question_stays_on_the_face_until_it_is_answered() -> None:
    asked = settle(show(Face(), Phase.ATTENTION, now=10.0), now=1000.0)
    assert asked.phase is Phase.ATTENTION
    assert show(asked, Phase.RUNNING, now=1001.0).phase is Phase.RUNNING


@pytest.mark.parametrize("news", [Phase.SUCCESS, Phase.ERROR])
def test_n46_a_news_is_held_four_seconds_then_gives_way(news: Phase) -> None:
    face = show(Face(), news, now=10.0)
    assert settle(face, now=13.9).phase is news
    assert settle(face, now=14.0).phase is Phase.IDLE
    thinking = show(face, Phase.THINKING, now=11.0)
    assert settle(thinking, now=13.9).phase is news
    assert settle(thinking, now=14.0).phase is Phase.THINKING


def test_n46_a_weaker_phase_does_not_wipe_a_news_from_the_face() -> None:
    face = show(Face(), Phase.SUCCESS, now=0.0)
    assert show(face, Phase.RUNNING, now=1.0).phase is Phase.SUCCESS
    assert show(face, Phase.RUNNING, now=4.0).phase is Phase.RUNNING
    assert show(face, Phase.ATTENTION, now=1.0).phase is Phase.ATTENTION
    called = show(face, Phase.ATTENTION, now=1.0)
    assert show(called, Phase.ERROR, now=2.0).phase is Phase.ATTENTION


def test_n46_the_same_news_again_is_not_held_longer() -> None:
    face = show(Face(), Phase.ERROR, now=0.0, since=100.0)
    assert show(face, Phase.ERROR, now=3.0, since=100.0).until == 4.0
    past = settle(face, now=5.0)
    assert show(past, Phase.ERROR, now=6.0, since=100.0).phase is Phase.IDLE


def test_n46_the_next_turns_news_is_held_anew() -> None:
    face = show(Face(), Phase.ERROR, now=0.0, since=100.0)
    assert show(face, Phase.ERROR, now=3.0, since=103.0).until == 7.0


@pytest.mark.parametrize("news", [Phase.SUCCESS, Phase.ERROR])
def test_n46_a_news_stays_on_the_face_until_it_was_seen(news: Phase) -> None:
    face = show(Face(), news, now=0.0, since=100.0, waits=True)
    unseen = settle(face, now=1000.0)
    assert (unseen.phase, unseen.until) == (news, 0.0)
    assert show(unseen, news, now=1001.0, since=100.0).phase is Phase.IDLE
    assert show(unseen, Phase.THINKING, now=1001.0, since=103.0).phase is Phase.THINKING


def test_n46_a_news_that_was_seen_at_once_is_held_four_seconds() -> None:
    face = show(Face(), Phase.ERROR, now=0.0, since=100.0, waits=True)
    seen = show(face, Phase.ERROR, now=1.0, since=100.0)
    assert settle(seen, now=3.9).phase is Phase.ERROR
    assert settle(seen, now=4.0).phase is Phase.IDLE


def test_n45_n46_a_failure_behind_a_stronger_news_comes_to_the_face_when_that_is_over() -> None:
    asked = show(Face(), Phase.ATTENTION, now=0.0, since=100.0, waits=True)
    failed = show(asked, Phase.ERROR, now=1.0, since=101.0, waits=True)
    assert failed.phase is Phase.ATTENTION
    assert settle(failed, now=4.0).phase is Phase.ERROR


def test_other_phases_stay_as_long_as_they_last() -> None:
    face = show(Face(), Phase.RUNNING, now=0.0)
    assert settle(face, now=1000.0) == face
