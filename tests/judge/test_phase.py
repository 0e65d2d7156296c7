"""What a session shows, as a table."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.judge.shown import Facts, PhaseState, standing
from nagomi_tui.judge.verdict import State as Judged
from nagomi_tui.sessions.session import Condition, State

SILENCE = 3.5
NOW = 100.0


def stands(**facts: Any) -> PhaseState:
    return standing(Facts(**({"state": State.RUNNING} | facts)), now=NOW, silence=SILENCE)


@pytest.mark.parametrize(
    ("facts", "phase", "waits"),
    [
        ({}, Condition.IDLE, False),
        ({"judged": Judged.THINKING}, Condition.THINKING, False),
        ({"judged": Judged.RUNNING}, Condition.RUNNING, False),
        ({"judged": Judged.RUNNING, "composed_at": 99.0}, Condition.RUNNING, False),
        ({"judged": Judged.THINKING, "composed_at": 99.0}, Condition.THINKING, False),
        ({"composed_at": 99.0}, Condition.LISTENING, False),
        ({"composed_at": 90.0}, Condition.IDLE, False),
        ({"judged": Judged.RUNNING, "called_at": 99.0}, Condition.ATTENTION, True),
        ({"called_at": 99.0, "seen_at": 99.5}, Condition.IDLE, False),
        ({"called_at": 99.0, "seen_at": 99.0}, Condition.IDLE, False),
        ({"called_at": 99.0, "speaks": True}, Condition.IDLE, False),
        ({"judged": Judged.SUCCESS, "since": 99.0, "called_at": 99.0}, Condition.SUCCESS, True),
        ({"judged": Judged.RUNNING, "noticed_at": 99.0}, Condition.RUNNING, True),
        ({"judged": Judged.RUNNING, "noticed_at": 99.0, "seen_at": 99.5}, Condition.RUNNING, False),
        (
            {"judged": Judged.THINKING, "noticed_at": 99.0, "speaks": True},
            Condition.THINKING,
            False,
        ),
        ({"noticed_at": 99.0}, Condition.IDLE, True),
        ({"judged": Judged.ATTENTION, "noticed_at": 99.0}, Condition.ATTENTION, True),
        ({"state": State.STARTING}, Condition.IDLE, False),
        ({"state": State.SAVED, "exit_code": 1}, Condition.IDLE, False),
        ({"state": State.EXITED, "exit_code": 1, "ended_at": 99.0}, Condition.ERROR, True),
        (
            {"state": State.EXITED, "exit_code": 1, "corrected": True, "judged": Judged.SUCCESS},
            Condition.SUCCESS,
            False,
        ),
        ({"state": State.LOST, "ended_at": 99.0}, Condition.ERROR, True),
        ({"state": State.LOST, "ended_at": 99.0, "seen_at": 99.0}, Condition.ERROR, False),
        ({"state": State.LOST}, Condition.ERROR, True),
        ({"state": State.LOST, "seen_at": 99.0}, Condition.ERROR, False),
        ({"state": State.LOST, "ended_at": 99.0, "seen_at": 99.5}, Condition.ERROR, False),
    ],
)
@pytest.mark.requirement("N-45")
def test_the_first_phase_that_holds_is_shown(
    facts: dict[str, Any], phase: Condition, waits: bool
) -> None:
    found = stands(**facts)
    assert (found.phase, found.waits) == (phase, waits)


@pytest.mark.parametrize(
    ("judged", "phase"),
    [
        (Judged.FAILURE, Condition.ERROR),
        (Judged.SUCCESS, Condition.SUCCESS),
        (Judged.ATTENTION, Condition.ATTENTION),
        (Judged.UNKNOWN, Condition.IDLE),
    ],
)
@pytest.mark.requirement("X-18")
def test_states_of_the_judge_have_fixed_phases(judged: Judged, phase: Condition) -> None:
    assert stands(judged=judged, since=99.0).phase is phase


@pytest.mark.parametrize(
    ("exit_code", "stopped", "phase", "waits"),
    [
        (0, False, Condition.SUCCESS, True),
        (1, False, Condition.ERROR, True),
        (127, False, Condition.ERROR, True),
        (130, False, Condition.IDLE, False),
        (143, False, Condition.ERROR, True),
        (143, True, Condition.IDLE, False),
        (137, True, Condition.IDLE, False),
        (1, True, Condition.IDLE, False),
    ],
)
@pytest.mark.requirement("NB-18")
def test_an_end_that_somebody_wished_is_no_failure(
    exit_code: int, stopped: bool, phase: Condition, waits: bool
) -> None:
    found = stands(state=State.EXITED, exit_code=exit_code, stopped=stopped, ended_at=99.0)
    assert (found.phase, found.waits) == (phase, waits)


@pytest.mark.requirement("N-72")
def test_silence_ends_listening_at_a_known_moment() -> None:
    assert stands(composed_at=99.0).until == 99.0 + SILENCE
    later = standing(Facts(state=State.RUNNING, composed_at=99.0), now=102.5, silence=SILENCE)
    assert (later.phase, later.until) == (Condition.IDLE, None)
    assert stands(judged=Judged.SUCCESS, since=90.0, composed_at=99.0).until == 99.0 + SILENCE


@pytest.mark.parametrize("judged", [Judged.SUCCESS, Judged.FAILURE])
def test_done_waits_only_until_it_was_seen_and_stays_until_something_new(judged: Judged) -> None:
    assert stands(judged=judged, since=90.0).waits
    seen = stands(judged=judged, since=90.0, seen_at=99.0)
    assert (seen.phase in (Condition.SUCCESS, Condition.ERROR), seen.waits) == (True, False)
    at_once = stands(judged=judged, since=90.0, seen_at=90.0, composed_at=90.0)
    assert (at_once.phase, at_once.waits) == (seen.phase, False)
    begun = stands(judged=judged, since=90.0, seen_at=99.0, composed_at=99.0)
    assert begun.phase is Condition.LISTENING


def test_an_ended_session_waits_only_until_it_was_seen() -> None:
    seen = stands(state=State.EXITED, exit_code=0, ended_at=99.0, seen_at=99.1)
    assert (seen.phase, seen.waits) == (Condition.SUCCESS, False)


def test_a_question_waits_until_it_is_answered_and_suspicion_until_it_was_seen() -> None:
    asked = stands(judged=Judged.ATTENTION, since=90.0, seen_at=99.0)
    assert (asked.phase, asked.waits) == (Condition.ATTENTION, True)
    unseen = stands(judged=Judged.ATTENTION, asks=False, since=90.0)
    assert (unseen.phase, unseen.waits) == (Condition.ATTENTION, True)
    seen = stands(judged=Judged.ATTENTION, asks=False, since=90.0, seen_at=99.0)
    assert (seen.phase, seen.waits) == (Condition.IDLE, False)
    at_once = stands(judged=Judged.ATTENTION, asks=False, since=90.0, seen_at=90.0)
    assert at_once.phase is Condition.IDLE


def test_of_a_phase_is_the_state_that_shows_so() -> None:
    assert {Judged.of(state.condition) for state in Judged} == {*Judged}
    assert Judged.of(Condition.LISTENING) is Judged.UNKNOWN
