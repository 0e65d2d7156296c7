"""What a session shows, as a table."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.judge.shown import Facts, PhaseState, standing
from nagomi_tui.judge.verdict import State as Judged
from nagomi_tui.sessions.session import Phase, State

SILENCE = 3.5
NOW = 100.0


def stands(**facts: Any) -> PhaseState:
    return standing(Facts(**({"state": State.RUNNING} | facts)), now=NOW, silence=SILENCE)


@pytest.mark.parametrize(
    ("facts", "phase", "waits"),
    [
        ({}, Phase.IDLE, False),
        ({"judged": Judged.THINKING}, Phase.THINKING, False),
        ({"judged": Judged.RUNNING}, Phase.RUNNING, False),
        ({"judged": Judged.RUNNING, "composed_at": 99.0}, Phase.RUNNING, False),
        ({"judged": Judged.THINKING, "composed_at": 99.0}, Phase.THINKING, False),
        ({"composed_at": 99.0}, Phase.LISTENING, False),
        ({"composed_at": 90.0}, Phase.IDLE, False),
        ({"judged": Judged.RUNNING, "called_at": 99.0}, Phase.ATTENTION, True),
        ({"called_at": 99.0, "seen_at": 99.5}, Phase.IDLE, False),
        ({"called_at": 99.0, "seen_at": 99.0}, Phase.IDLE, False),
        ({"called_at": 99.0, "speaks": True}, Phase.IDLE, False),
        ({"judged": Judged.SUCCESS, "since": 99.0, "called_at": 99.0}, Phase.SUCCESS, True),
        ({"judged": Judged.RUNNING, "noticed_at": 99.0}, Phase.RUNNING, True),
        ({"judged": Judged.RUNNING, "noticed_at": 99.0, "seen_at": 99.5}, Phase.RUNNING, False),
        ({"judged": Judged.THINKING, "noticed_at": 99.0, "speaks": True}, Phase.THINKING, False),
        ({"noticed_at": 99.0}, Phase.IDLE, True),
        ({"judged": Judged.ATTENTION, "noticed_at": 99.0}, Phase.ATTENTION, True),
        ({"state": State.STARTING}, Phase.IDLE, False),
        ({"state": State.SAVED, "exit_code": 1}, Phase.IDLE, False),
        ({"state": State.EXITED, "exit_code": 1, "ended_at": 99.0}, Phase.ERROR, True),
        (
            {"state": State.EXITED, "exit_code": 1, "corrected": True, "judged": Judged.SUCCESS},
            Phase.SUCCESS,
            False,
        ),
        ({"state": State.LOST, "ended_at": 99.0}, Phase.ERROR, True),
        ({"state": State.LOST, "ended_at": 99.0, "seen_at": 99.0}, Phase.ERROR, False),
        ({"state": State.LOST}, Phase.ERROR, True),
        ({"state": State.LOST, "seen_at": 99.0}, Phase.ERROR, False),
        ({"state": State.LOST, "ended_at": 99.0, "seen_at": 99.5}, Phase.ERROR, False),
    ],
)
def test_n45_the_first_phase_that_holds_is_shown(
    facts: dict[str, Any], phase: Phase, waits: bool
) -> None:
    found = stands(**facts)
    assert (found.phase, found.waits) == (phase, waits)


@pytest.mark.parametrize(
    ("judged", "phase"),
    [
        (Judged.FAILURE, Phase.ERROR),
        (Judged.SUCCESS, Phase.SUCCESS),
        (Judged.ATTENTION, Phase.ATTENTION),
        (Judged.UNKNOWN, Phase.IDLE),
    ],
)
def test_x18_states_of_the_judge_have_fixed_phases(judged: Judged, phase: Phase) -> None:
    assert stands(judged=judged, since=99.0).phase is phase


@pytest.mark.parametrize(
    ("exit_code", "stopped", "phase", "waits"),
    [
        (0, False, Phase.SUCCESS, True),
        (1, False, Phase.ERROR, True),
        (127, False, Phase.ERROR, True),
        (130, False, Phase.IDLE, False),
        (143, False, Phase.ERROR, True),
        (143, True, Phase.IDLE, False),
        (137, True, Phase.IDLE, False),
        (1, True, Phase.IDLE, False),
    ],
)
def test_nb18_an_end_that_somebody_wished_is_no_failure(
    exit_code: int, stopped: bool, phase: Phase, waits: bool
) -> None:
    found = stands(state=State.EXITED, exit_code=exit_code, stopped=stopped, ended_at=99.0)
    assert (found.phase, found.waits) == (phase, waits)


def test_n72_silence_ends_listening_at_a_known_moment() -> None:
    assert stands(composed_at=99.0).until == 99.0 + SILENCE
    later = standing(Facts(state=State.RUNNING, composed_at=99.0), now=102.5, silence=SILENCE)
    assert (later.phase, later.until) == (Phase.IDLE, None)
    assert stands(judged=Judged.SUCCESS, since=90.0, composed_at=99.0).until == 99.0 + SILENCE


@pytest.mark.parametrize("judged", [Judged.SUCCESS, Judged.FAILURE])
def test_done_waits_only_until_it_was_seen_and_stays_until_something_new(judged: Judged) -> None:
    assert stands(judged=judged, since=90.0).waits
    seen = stands(judged=judged, since=90.0, seen_at=99.0)
    assert (seen.phase in (Phase.SUCCESS, Phase.ERROR), seen.waits) == (True, False)
    at_once = stands(judged=judged, since=90.0, seen_at=90.0, composed_at=90.0)
    assert (at_once.phase, at_once.waits) == (seen.phase, False)
    begun = stands(judged=judged, since=90.0, seen_at=99.0, composed_at=99.0)
    assert begun.phase is Phase.LISTENING


def test_an_ended_session_waits_only_until_it_was_seen() -> None:
    seen = stands(state=State.EXITED, exit_code=0, ended_at=99.0, seen_at=99.1)
    assert (seen.phase, seen.waits) == (Phase.SUCCESS, False)


def test_a_question_waits_until_it_is_answered_and_suspicion_until_it_was_seen() -> None:
    asked = stands(judged=Judged.ATTENTION, since=90.0, seen_at=99.0)
    assert (asked.phase, asked.waits) == (Phase.ATTENTION, True)
    unseen = stands(judged=Judged.ATTENTION, asks=False, since=90.0)
    assert (unseen.phase, unseen.waits) == (Phase.ATTENTION, True)
    seen = stands(judged=Judged.ATTENTION, asks=False, since=90.0, seen_at=99.0)
    assert (seen.phase, seen.waits) == (Phase.IDLE, False)
    at_once = stands(judged=Judged.ATTENTION, asks=False, since=90.0, seen_at=90.0)
    assert at_once.phase is Phase.IDLE
