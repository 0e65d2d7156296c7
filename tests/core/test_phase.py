"""How a session stands, as a table."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.core.phase import Facts, Standing, is_echo, standing
from nagomi_tui.core.session import Phase, State

SILENCE = 3.5
NOW = 100.0


def stands(**facts: Any) -> Standing:
    return standing(Facts(**({"state": State.RUNNING} | facts)), now=NOW, silence=SILENCE)


@pytest.mark.parametrize(
    ("facts", "phase", "waits"),
    [
        ({}, Phase.IDLE, False),
        ({"submitted_at": 99.0}, Phase.THINKING, False),
        ({"submitted_at": 90.0}, Phase.IDLE, False),
        ({"submitted_at": 98.0, "worked_at": 99.0}, Phase.RUNNING, False),
        ({"submitted_at": 99.0, "worked_at": 98.0}, Phase.THINKING, False),
        ({"worked_at": 96.0}, Phase.IDLE, False),
        ({"typed_at": 99.0}, Phase.LISTENING, False),
        ({"worked_at": 99.0, "called_at": 99.0}, Phase.ATTENTION, True),
        ({"called_at": 99.0, "seen_at": 99.5}, Phase.IDLE, False),
        ({"state": State.STARTING}, Phase.IDLE, False),
        ({"state": State.SAVED, "exit_code": 1}, Phase.IDLE, False),
        ({"state": State.LOST, "ended_at": 99.0}, Phase.ERROR, True),
        ({"state": State.LOST, "ended_at": 99.0, "seen_at": 99.5}, Phase.ERROR, False),
    ],
)
def test_n45_the_first_phase_that_holds_is_shown(
    facts: dict[str, Any], phase: Phase, waits: bool
) -> None:
    found = stands(**facts)
    assert (found.phase, found.waits) == (phase, waits)


@pytest.mark.parametrize(
    ("exit_code", "stopped", "phase", "waits"),
    [
        (0, False, Phase.SUCCESS, True),
        (1, False, Phase.ERROR, True),
        (127, False, Phase.ERROR, True),
        (130, False, Phase.IDLE, False),
        (143, False, Phase.IDLE, False),
        (137, True, Phase.IDLE, False),
        (1, True, Phase.IDLE, False),
    ],
)
def test_nb18_an_end_that_somebody_wished_is_no_failure(
    exit_code: int, stopped: bool, phase: Phase, waits: bool
) -> None:
    found = stands(state=State.EXITED, exit_code=exit_code, stopped=stopped, ended_at=99.0)
    assert (found.phase, found.waits) == (phase, waits)


def test_n72_silence_ends_running_at_a_known_moment() -> None:
    found = stands(worked_at=99.0)
    assert found.until == 99.0 + SILENCE
    later = standing(Facts(state=State.RUNNING, worked_at=99.0), now=102.5, silence=SILENCE)
    assert (later.phase, later.until) == (Phase.IDLE, None)


def test_done_waits_only_until_it_was_seen() -> None:
    seen = stands(state=State.EXITED, exit_code=0, ended_at=99.0, seen_at=99.1)
    assert (seen.phase, seen.waits) == (Phase.SUCCESS, False)


@pytest.mark.parametrize(
    ("typed_at", "submitted_at", "echo"),
    [
        (None, None, False),
        (99.9, None, True),
        (99.9, 98.0, True),
        (99.9, 99.9, False),
        (99.0, None, False),
    ],
)
def test_the_echo_of_a_typed_key_is_no_work(
    typed_at: float | None, submitted_at: float | None, echo: bool
) -> None:
    assert is_echo(now=NOW, typed_at=typed_at, submitted_at=submitted_at) is echo
