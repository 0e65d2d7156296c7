"""A face shows the strongest phase and holds a news for four seconds."""

from __future__ import annotations

import asyncio
import time

import pytest
from textual.app import App

from nagomi_tui.sessions.session import Condition, Session, State
from nagomi_tui.view.character.faces import Face, FaceClock, Faces, pose, settle, show, strongest
from nagomi_tui.view.common.timers import Timers


@pytest.mark.requirement("N-45")
def test_the_phases_win_in_this_order() -> None:
    order = ["attention", "error", "success", "running", "thinking", "listening", "idle"]
    for at, name in enumerate(order):
        assert strongest([Condition(weaker) for weaker in reversed(order[at:])]) == name
    assert strongest([]) is Condition.IDLE


@pytest.mark.requirement("N-46")
def test_a_question_stays_on_the_face_until_it_is_answered() -> None:
    asked = settle(show(Face(), Condition.ATTENTION, now=10.0), now=1000.0)
    assert asked.phase is Condition.ATTENTION
    assert show(asked, Condition.RUNNING, now=1001.0).phase is Condition.RUNNING


@pytest.mark.parametrize("news", [Condition.SUCCESS, Condition.ERROR])
@pytest.mark.requirement("N-46")
def test_a_news_is_held_four_seconds_then_gives_way(news: Condition) -> None:
    face = show(Face(), news, now=10.0)
    assert settle(face, now=13.9).phase is news
    assert settle(face, now=14.0).phase is Condition.IDLE
    thinking = show(face, Condition.THINKING, now=11.0)
    assert settle(thinking, now=13.9).phase is news
    assert settle(thinking, now=14.0).phase is Condition.THINKING


@pytest.mark.requirement("N-46")
def test_a_weaker_phase_does_not_wipe_a_news_from_the_face() -> None:
    face = show(Face(), Condition.SUCCESS, now=0.0)
    assert show(face, Condition.RUNNING, now=1.0).phase is Condition.SUCCESS
    assert show(face, Condition.RUNNING, now=4.0).phase is Condition.RUNNING
    assert show(face, Condition.ATTENTION, now=1.0).phase is Condition.ATTENTION
    called = show(face, Condition.ATTENTION, now=1.0)
    assert show(called, Condition.ERROR, now=2.0).phase is Condition.ATTENTION


@pytest.mark.requirement("N-46")
def test_the_same_news_again_is_not_held_longer() -> None:
    face = show(Face(), Condition.ERROR, now=0.0, since=100.0)
    assert show(face, Condition.ERROR, now=3.0, since=100.0).until == 4.0
    past = settle(face, now=5.0)
    assert show(past, Condition.ERROR, now=6.0, since=100.0).phase is Condition.IDLE


@pytest.mark.requirement("N-46")
def test_the_next_turns_news_is_held_anew() -> None:
    face = show(Face(), Condition.ERROR, now=0.0, since=100.0)
    assert show(face, Condition.ERROR, now=3.0, since=103.0).until == 7.0


@pytest.mark.parametrize("news", [Condition.SUCCESS, Condition.ERROR])
@pytest.mark.requirement("N-46")
def test_a_news_stays_on_the_face_until_it_was_seen(news: Condition) -> None:
    face = show(Face(), news, now=0.0, since=100.0, waits=True)
    unseen = settle(face, now=1000.0)
    assert (unseen.phase, unseen.until) == (news, 0.0)
    assert show(unseen, news, now=1001.0, since=100.0).phase is Condition.IDLE
    assert show(unseen, Condition.THINKING, now=1001.0, since=103.0).phase is Condition.THINKING


@pytest.mark.requirement("N-46")
def test_a_news_that_was_seen_at_once_is_held_four_seconds() -> None:
    face = show(Face(), Condition.ERROR, now=0.0, since=100.0, waits=True)
    seen = show(face, Condition.ERROR, now=1.0, since=100.0)
    assert settle(seen, now=3.9).phase is Condition.ERROR
    assert settle(seen, now=4.0).phase is Condition.IDLE


@pytest.mark.requirement("N-45", "N-46")
def test_a_failure_behind_a_stronger_news_comes_to_the_face_when_that_is_over() -> None:
    asked = show(Face(), Condition.ATTENTION, now=0.0, since=100.0, waits=True)
    failed = show(asked, Condition.ERROR, now=1.0, since=101.0, waits=True)
    assert failed.phase is Condition.ATTENTION
    assert settle(failed, now=4.0).phase is Condition.ERROR


def test_other_phases_stay_as_long_as_they_last() -> None:
    face = show(Face(), Condition.RUNNING, now=0.0)
    assert settle(face, now=1000.0) == face


def test_a_face_at_rest_tells_the_mode_of_the_agent_and_no_other_does() -> None:
    modes = {"reserved": Condition.LISTENING, "autonomous": Condition.THINKING, "": Condition.IDLE}
    assert {mode: pose(Condition.IDLE, mode) for mode in modes} == modes
    assert pose(Condition.ERROR, "reserved") is Condition.ERROR


def _session(name: str, phase: Condition) -> Session:
    return Session(
        session_id=name, number=1, name=name, cmd="x", cwd="/", state=State.RUNNING, phase=phase
    )


def test_faces_change_when_their_time_is_over_and_only_then() -> None:
    faces = Faces()
    assert faces.next_change() is None
    faces.hear(_session("a", Condition.SUCCESS), 10.0)
    faces.speak("b", 12.0)
    assert faces.next_change() == 12.0
    assert [faces.speaks("b", now) for now in (11.9, 12.0)] == [True, False]
    assert not faces.settle(11.9) and faces.speaks("b", 11.9)
    assert not faces.settle(12.0) and not faces.speaks("b", 11.9)
    assert (faces.phase("a"), faces.next_change()) == (Condition.SUCCESS, 14.0)
    assert faces.settle(14.0) and faces.phase("a") is Condition.IDLE
    assert faces.next_change() is None


async def test_the_clock_wakes_up_for_the_next_face_that_changes() -> None:
    app: App[None] = App()
    async with app.run_test() as pilot, asyncio.timeout(20):
        faces, changes = Faces(), list[str]()
        clock = FaceClock(Timers(app), faces, lambda: changes.append("one"))
        clock.plan()
        faces.hold = 60.0
        faces.hear(_session("later", Condition.ERROR), time.monotonic())
        clock.plan()
        faces.hold = 0.05
        faces.hear(_session("soon", Condition.SUCCESS), began := time.monotonic())
        clock.plan()
        while faces.phase("soon") is Condition.SUCCESS:
            await pilot.pause(0.01)
        assert time.monotonic() >= began + 0.05 and changes
        assert (faces.phase("soon"), faces.phase("later")) == (Condition.IDLE, Condition.ERROR)
