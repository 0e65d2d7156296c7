"""Stories of evidence over time, and what is shown of them."""

from __future__ import annotations

import msgspec
import pytest

from nagomi_tui.judge.evidence import Corrected, Ended, Key, Says, Source, Typed, Wait
from nagomi_tui.judge.judge import DWELL, HOLD, SETTLE
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.judging import session_judge
from nagomi_tui.sessions.session import Condition
from tests.helpers.judge_story import (
    Story,
    hook,
    process,
    said,
    screen,
    title,
)


@pytest.mark.parametrize(
    ("state", "phase"),
    [(State.FAILURE, Condition.ERROR), (State.SUCCESS, Condition.SUCCESS), (State.UNKNOWN, Condition.IDLE),
     (State.ATTENTION, Condition.ATTENTION), (State.RUNNING, Condition.RUNNING),
     (State.THINKING, Condition.THINKING)],
)  # fmt: skip
@pytest.mark.requirement("X-18")
def test_states_map_to_phases(state: State, phase: Condition) -> None:
    assert state.condition is phase


@pytest.mark.requirement("NB-8")
def test_attention_is_found_though_it_is_silent_too() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "cannot do it", ""))
    assert story.until(2.0) is State.RUNNING
    assert story.until(1.0 + 3.5 + SETTLE) is State.ATTENTION
    assert not story.judge.shown.finding.confirmed


@pytest.mark.requirement("N-70", "N-77")
def test_silence_is_a_candidate_that_output_takes_back() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "step 1", ""))
    assert story.until(5.0) is State.UNKNOWN
    story.tell(screen(6.0, "step 1", "step 2", ""))
    assert story.until(6.5) is State.RUNNING


@pytest.mark.requirement("NB-7")
def test_a_spinner_that_redraws_the_same_screen_is_silence() -> None:
    story = Story("./job")
    story.tell(*(screen(1.0 + step / 10, "step 1", "") for step in range(50)))
    assert story.until(6.0) is State.UNKNOWN


def test_silence_with_a_process_at_work_is_still_running() -> None:
    story = Story("make")
    story.tell(screen(1.0, "compiling", ""), process(2.0, "cc1plus"))
    assert story.until(60.0) is State.RUNNING


@pytest.mark.requirement("N-69")
def test_input_that_was_sent_is_thought_about() -> None:
    story = Story("./chat")
    story.tell(screen(0.1, "hello", ""))
    story.until(4.0)
    story.tell(Typed(5.0, Key.ENTER))
    assert story.until(5.3) is State.THINKING
    assert story.judge.known.turn.number == 1


def test_a_hook_that_answers_a_dialog_by_itself_calls_nobody() -> None:
    story = Story("claude")
    story.tell(title(Says.BUSY, 1.0), hook(Says.RUNNING, 2.0), hook(Says.WAITS, 2.01))
    story.tell(title(Says.REST, 2.02), title(Says.BUSY, 2.1), hook(Says.RUNNING, 2.11))
    story.tell(title(Says.BUSY, 3.0))
    assert State.ATTENTION not in {change.after.state for change in story.changes}


def first_turn(story: Story, at: float) -> None:
    """A turn of an agent with hooks, from Enter to its end, is shown."""
    story.tell(Typed(at, Key.ENTER), hook(Says.THINKING, at + 0.1))
    story.until(at + 1.0)
    story.tell(hook(Says.SUCCEEDED, at + 1.0))
    assert story.until(at + 2.0) is State.SUCCESS


def test_an_agent_that_runs_one_quick_tool_after_another_is_at_work() -> None:
    story = Story("claude")
    first_turn(story, 1.0)
    story.tell(Typed(4.0, Key.ENTER), hook(Says.THINKING, 4.05))
    for step in range(6):
        story.tell(hook((Says.RUNNING, Says.THINKING)[step % 2], 4.1 + step * 0.05))
    assert story.judge.shown.turn == 2 and story.judge.shown.state in (
        State.RUNNING,
        State.THINKING,
    )


@pytest.mark.parametrize("says", [Says.SUCCEEDED, Says.FAILED])
def test_a_turn_too_quick_to_be_shown_is_told_by_its_hooks(says: Says) -> None:
    story = Story("claude")
    first_turn(story, 1.0)
    before = len(story.changes)
    story.tell(Typed(4.0, Key.ENTER), hook(Says.THINKING, 4.05), hook(says, 4.12))
    story.until(8.0)
    ended = story.changes[before:]
    assert [(change.completed, change.after.turn) for change in ended] == [(True, 2)]


def test_a_turn_too_quick_to_be_shown_is_told_by_what_was_seen_at_work() -> None:
    story = Story("claude")
    story.tell(Typed(1.0, Key.ENTER), title(Says.BUSY, 1.1))
    story.until(2.0)
    story.tell(title(Says.REST, 2.0))
    assert story.until(4.0) is State.SUCCESS
    story.tell(Typed(5.0, Key.ENTER), title(Says.BUSY, 5.05), title(Says.REST, 5.12))
    story.until(8.0)
    told = [(change.after.turn, change.completed) for change in story.changes[-2:]]
    assert told == [(1, True), (2, True)]


def test_no_turn_is_told_as_over_while_its_title_works_on() -> None:
    """A hook may tell the end a second before the title, and the screen have worked before Enter."""
    story = Story("claude")
    first_turn(story, 1.0)
    before = len(story.changes)
    story.tell(title(Says.BUSY, 4.0))
    story.until(4.5)
    story.tell(Typed(4.6, Key.ENTER), hook(Says.THINKING, 4.7), hook(Says.SUCCEEDED, 7.0))
    story.until(8.0)
    story.tell(title(Says.REST, 8.0))
    story.until(9.0)
    told = [change.after.state for change in story.changes[before:] if change.completed]
    assert told == [State.SUCCESS]


def test_enter_alone_or_a_late_end_of_the_turn_before_tells_no_turn() -> None:
    story = Story("claude")
    first_turn(story, 1.0)
    before = len(story.changes)
    story.tell(Typed(4.0, Key.ENTER), hook(Says.SUCCEEDED, 3.99))
    assert story.until(9.0) is State.SUCCESS and len(story.changes) == before


def test_no_state_is_shorter_than_can_be_read() -> None:
    story = Story("claude")
    for step in range(40):
        at = 1.0 + step * 0.07
        story.tell(hook([Says.THINKING, Says.RUNNING, Says.WAITS][step % 3], at))
    story.until(6.0)
    times = [change.after.since for change in story.changes]
    assert all(after - before >= DWELL for before, after in zip(times, times[1:], strict=False))


def test_done_stays_until_the_next_turn_and_completes_it_once() -> None:
    story = Story("claude")
    story.tell(hook(Says.THINKING, 1.0), hook(Says.SUCCEEDED, 3.0, "All is well."))
    assert story.until(600.0) is State.SUCCESS
    assert [change.completed for change in story.changes] == [False, True]


def test_a_running_state_is_replaced_in_place_and_sleeps_when_time_changes_nothing() -> None:
    story = Story("make")
    assert story.judge.wake_at <= 1.0
    assert story.until(10.0) is State.UNKNOWN
    assert story.judge.wake_at == float("inf")
    story.tell(said(Source.NOTICE, Says.CALLS, 11.0))
    assert 11.0 < story.judge.wake_at <= 12.0


@pytest.mark.requirement("X-18")
def test_the_phase_follows_what_is_shown() -> None:
    story = Story("make")
    story.tell(Ended(1.0, 2))
    assert story.judge.shown.state.condition is Condition.ERROR


@pytest.mark.requirement("N-78", "N-86")
def test_a_dialog_s_words_are_the_summary_without_their_secrets() -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    story = Story("claude")
    story.tell(
        screen(
            1.0,
            "─" * 30,
            " Bash command",
            f"   curl -H 'x-api-key: {key}' here",
            " Do you want to proceed?",
            " ❯ 1. Yes",
            "   2. No",
            " Esc to cancel · Tab to amend",
        )
    )
    assert story.until(2.0) is State.ATTENTION
    summary = session_judge.verdict(story.judge).summary
    assert summary.startswith("Do you want to proceed? · Bash command · curl -H")
    assert "REDACTED" in summary and "a1B2" not in summary


@pytest.mark.requirement("N-70")
def test_what_was_shown_before_is_held_until_somebody_looked_at_the_processes() -> None:
    story = Story("./job")
    story.judge.recall(State.RUNNING, at=10.0)
    story.judge.tick(10.0)
    assert story.judge.wake_at == 10.0 + HOLD
    assert story.until(10.9) is State.RUNNING
    assert story.until(10.0 + HOLD) is State.UNKNOWN
    story = Story("./job")
    story.judge.recall(State.ATTENTION, at=10.0)
    story.tell(process(10.1, "job"))
    assert story.until(10.5) is State.RUNNING


@pytest.mark.parametrize(
    ("before", "after"),
    [(State.SUCCESS, State.SUCCESS), (State.FAILURE, State.FAILURE),
     (State.ATTENTION, State.UNKNOWN)],
)  # fmt: skip
@pytest.mark.requirement("N-70")
def test_a_turn_that_is_remembered_as_over_stays_over(before: State, after: State) -> None:
    story = Story("./job")
    story.judge.recall(before, at=10.0)
    assert story.until(60.0) is after


@pytest.mark.requirement("N-70")
def test_until_the_next_turn_begins() -> None:
    story = Story("vim a")
    story.judge.recall(State.SUCCESS, at=10.0)
    view = msgspec.structs.replace(screen(12.05, "x"), alt_screen=True)
    keys = process(12.06, "vim", Wait.KEYS, canonical=False, echo=False, leader=True)
    story.tell(Typed(12.0, Key.ENTER), view, keys)
    assert story.until(13.0) is State.UNKNOWN


@pytest.mark.requirement("N-68")
def test_what_completes_a_turn() -> None:
    story = Story("claude")
    says = (Says.RUNNING, Says.WAITS, Says.RUNNING, Says.REST, Says.SUCCEEDED, Says.FAILED,
            Says.REST, Says.WAITS, Says.REST, Says.WAITS, Says.SUCCEEDED)  # fmt: skip
    for at, each in enumerate(says):
        story.tell(hook(each, 1.0 + 2 * at))
    story.until(30.0)
    assert [(change.after.state, change.completed) for change in story.changes] == [
        (State.ATTENTION, True), (State.RUNNING, False), (State.UNKNOWN, True), (State.SUCCESS, True), (State.FAILURE, False),
        (State.UNKNOWN, False), (State.ATTENTION, True), (State.UNKNOWN, True),
        (State.ATTENTION, True), (State.SUCCESS, True),
    ]  # fmt: skip


@pytest.mark.requirement("N-71")
def test_a_state_is_shown_when_it_has_settled_and_the_one_before_could_be_read() -> None:
    story = Story("claude")
    story.tell(hook(Says.WAITS, 1.0))
    assert story.judge.wake_at == 1.0 + SETTLE
    assert story.until(1.0 + SETTLE) is State.ATTENTION
    shown = story.judge.shown.since
    story.tell(hook(Says.RUNNING, 1.2))
    assert story.judge.wake_at == shown + DWELL
    assert story.until(shown + DWELL - 0.01) is State.ATTENTION
    assert story.until(shown + DWELL) is State.RUNNING


def test_it_wakes_once_a_second_for_two_seconds_and_then_only_for_what_time_may_change() -> None:
    story = Story("claude")
    story.tell(hook(Says.RUNNING, 1.0))
    assert story.until(2.0) is State.RUNNING
    assert story.judge.wake_at == 3.0
    story.until(2.9)
    assert story.judge.wake_at == 3.9
    story.until(3.0)
    assert story.judge.wake_at == float("inf")
    story.tell(msgspec.structs.replace(title(Says.BUSY, 4.0), expires=9.0))
    story.until(7.0)
    assert story.judge.wake_at == 9.0


def test_it_wakes_when_a_late_hook_could_have_come() -> None:
    story = Story("claude")
    story.tell(hook(Says.THINKING, 1.0), title(Says.BUSY, 1.0))
    story.until(3.9)
    story.tell(title(Says.REST, 4.0))
    assert story.judge.wake_at == 4.2


def test_what_the_user_says_is_shown_at_once_and_ends_no_turn() -> None:
    story = Story("claude")
    story.tell(hook(Says.RUNNING, 1.0))
    story.until(2.0)
    change = story.judge.feed(Corrected(2.01, State.SUCCESS))
    assert change is not None
    assert (change.after.state, change.after.since, change.completed) == (
        State.SUCCESS,
        2.01,
        False,
    )
    assert story.until(60.0) is State.SUCCESS
