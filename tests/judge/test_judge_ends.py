"""What the end of a command shows, by its code, its signal and who asked for it."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import Ended, Key, Says, Stopped, Typed
from nagomi_tui.judge.verdict import State
from tests.helpers.judge_story import (
    Story,
    screen,
)


@pytest.mark.parametrize(
    ("code", "state"),
    [(0, State.SUCCESS), (1, State.FAILURE), (139, State.FAILURE), (130, State.UNKNOWN)],
)
@pytest.mark.requirement("N-74", "N-75", "NB-18")
def test_the_exit_code_decides_but_for_ctrl_c(code: int, state: State) -> None:
    story = Story("make")
    story.tell(screen(1.0, "ValueError: bad"), Ended(2.0, code))
    assert story.judge.shown.state is state


@pytest.mark.requirement("NB-18")
def test_our_own_stop_is_no_failure() -> None:
    story = Story("make")
    story.tell(Stopped(1.0), Ended(2.0, 137, 9))
    assert story.judge.shown.state is State.UNKNOWN


@pytest.mark.requirement("N-71")
def test_an_end_is_shown_at_once() -> None:
    story = Story("make")
    story.tell(Ended(0.01, 0))
    assert story.judge.shown.since == 0.01
    assert story.changes[-1].completed


@pytest.mark.requirement("N-71")
def test_an_exit_completes_the_turn_whatever_was_shown() -> None:
    story = Story("vim")
    story.until(10.0)
    story.tell(Ended(11.0, 0))
    assert (story.changes[-1].completed, story.changes[-1].after.state) == (True, State.SUCCESS)


@pytest.mark.parametrize(
    ("code", "signal", "stopped", "state", "rule", "text"),
    [
        (0, None, False, State.SUCCESS, "exit-0", "exit 0"),
        (0, None, True, State.SUCCESS, "exit-0", "exit 0"),
        (3, None, False, State.FAILURE, "exit-code", "exit 3"),
        (139, None, False, State.FAILURE, "exit-code", "exit 139, SIGSEGV"),
        (3, None, True, State.UNKNOWN, "stopped-by-us", "exit 3"),
        (130, 2, False, State.UNKNOWN, "interrupted", "SIGINT"),
        (143, 15, False, State.FAILURE, "exit-signal", "SIGTERM"),
        (143, None, False, State.FAILURE, "exit-code", "exit 143, SIGTERM"),
        (143, 15, True, State.UNKNOWN, "stopped-by-us", "SIGTERM"),
        (139, 11, False, State.FAILURE, "exit-signal", "SIGSEGV"),
    ],
)
@pytest.mark.requirement("N-74", "N-75", "NB-18")
def test_an_end_tells_its_code_or_its_signal(
    code: int, signal: int | None, stopped: bool, state: State, rule: str, text: str
) -> None:
    story = Story("make")
    if stopped:
        story.tell(Stopped(1.0))
    story.tell(Ended(2.0, code, signal))
    finding = story.judge.shown.finding
    assert (finding.state, finding.rule) == (state, rule)
    assert (finding.because[0].text, finding.because[0].says is Says.SUCCEEDED) == (text, code == 0)


@pytest.mark.parametrize(("key", "state"), [(Key.INTERRUPT, State.UNKNOWN), (Key.ESCAPE, State.FAILURE)])  # fmt: skip
@pytest.mark.requirement("NB-18")
def test_an_end_by_ctrl_c_is_no_failure_whatever_its_code(key: Key, state: State) -> None:
    story = Story("make")
    story.tell(Typed(1.0, key), Ended(2.0, 2))
    assert story.judge.shown.state is state
