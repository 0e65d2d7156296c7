"""Stories of evidence over time, and what is shown of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from nagomi_tui.core.judge.evidence import (
    Corrected,
    Ended,
    Evidence,
    Foreground,
    Key,
    Says,
    Source,
    Stopped,
    Typed,
    View,
    Wait,
)
from nagomi_tui.core.judge.judge import DWELL, HOLD, SETTLE, Judge
from nagomi_tui.core.judge.verdict import State, phase_of
from nagomi_tui.core.session.session import Phase
from nagomi_tui.judging import manifests, telling

if TYPE_CHECKING:
    from nagomi_tui.core.judge.judge import Change

BOOK = manifests.load(Path("/nonexistent")).book


class Story:
    """A judge whose time passes only as the story tells it."""

    def __init__(self, command: str) -> None:
        self.judge = Judge(command, BOOK, at=0.0)
        self.changes: list[Change] = []

    def tell(self, *events: Evidence | Foreground | View | Typed | Stopped | Ended) -> None:
        for event in events:
            self.until(event.at)
            self._note(self.judge.feed(event))

    def until(self, at: float) -> State:
        while self.judge.wake_at < at:
            self._note(self.judge.tick(self.judge.wake_at))
        self._note(self.judge.tick(at))
        return self.judge.shown.state

    def _note(self, change: Change | None) -> None:
        if change is not None:
            self.changes.append(change)


def said(source: Source, says: Says, at: float, text: str = "") -> Evidence:
    return Evidence(source=source, says=says, at=at, rule="told", text=text)


def hook(says: Says, at: float, text: str = "") -> Evidence:
    return said(Source.HOOK, says, at, text)


def title(says: Says, at: float) -> Evidence:
    return said(Source.TITLE, says, at)


def screen(at: float, *rows: str, lines: tuple[str, ...] = (), x: int | None = None) -> View:
    last = rows[-1] if rows else ""
    return View(
        at=at,
        rows=rows or ("",),
        cursor_y=max(len(rows) - 1, 0),
        cursor_x=len(last) if x is None else x,
        lines=lines or rows,
    )


def process(at: float, command: str, wait: Wait = Wait.NOTHING, **more: bool) -> Foreground:
    return Foreground(at=at, command=command, leader=more.pop("leader", False), wait=wait, **more)


@pytest.mark.parametrize(
    ("state", "phase"),
    [(State.FAILURE, Phase.ERROR), (State.SUCCESS, Phase.SUCCESS), (State.UNKNOWN, Phase.IDLE),
     (State.ATTENTION, Phase.ATTENTION), (State.RUNNING, Phase.RUNNING),
     (State.THINKING, Phase.THINKING)],
)  # fmt: skip
def test_x18_states_map_to_phases(state: State, phase: Phase) -> None:
    assert phase_of(state) is phase


@pytest.mark.parametrize(
    ("code", "state"),
    [(0, State.SUCCESS), (1, State.FAILURE), (139, State.FAILURE), (130, State.UNKNOWN)],
)
def test_n74_n75_nb18_the_exit_code_decides_but_for_ctrl_c(code: int, state: State) -> None:
    story = Story("make")
    story.tell(screen(1.0, "ValueError: bad"), Ended(2.0, code))
    assert story.judge.shown.state is state


def test_nb18_our_own_stop_is_no_failure() -> None:
    story = Story("make")
    story.tell(Stopped(1.0), Ended(2.0, 137, 9))
    assert story.judge.shown.state is State.UNKNOWN


def test_n71_an_end_is_shown_at_once() -> None:
    story = Story("make")
    story.tell(Ended(0.01, 0))
    assert story.judge.shown.since == 0.01
    assert story.changes[-1].completed


def test_nb8_attention_is_found_though_it_is_silent_too() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "cannot do it", ""))
    assert story.until(2.0) is State.RUNNING
    assert story.until(1.0 + 3.5 + SETTLE) is State.ATTENTION
    assert not story.judge.shown.finding.confirmed


def test_n70_n77_silence_is_a_candidate_that_output_takes_back() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "step 1", ""))
    assert story.until(5.0) is State.UNKNOWN
    story.tell(screen(6.0, "step 1", "step 2", ""))
    assert story.until(6.5) is State.RUNNING


def test_nb7_a_spinner_that_redraws_the_same_screen_is_silence() -> None:
    story = Story("./job")
    story.tell(*(screen(1.0 + step / 10, "step 1", "") for step in range(50)))
    assert story.until(6.0) is State.UNKNOWN


def test_silence_with_a_process_at_work_is_still_running() -> None:
    story = Story("make")
    story.tell(screen(1.0, "compiling", ""), process(2.0, "cc1plus"))
    assert story.until(60.0) is State.RUNNING


@pytest.mark.parametrize(
    ("line", "state"),
    [("Continue? [y/N] ", State.ATTENTION), ("Your name ", State.ATTENTION),
     (">>> ", State.UNKNOWN), ("", State.UNKNOWN)],
)  # fmt: skip
def test_a_read_of_the_terminal_is_a_call_only_after_words(line: str, state: State) -> None:
    story = Story("./job")
    story.tell(screen(1.0, "hello", line), process(1.2, "job", Wait.READ))
    assert story.until(2.0) is state


def test_a_password_prompt_is_a_call() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "Secret for box"), process(1.2, "job", Wait.READ, echo=False))
    assert story.until(2.0) is State.ATTENTION


def test_a_call_lasts_while_the_answer_is_typed() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "Sure? "), process(1.2, "job", Wait.READ))
    story.tell(screen(3.0, "Sure? y"), screen(3.2, "Sure? ye"), process(3.3, "job", Wait.READ))
    assert story.until(4.0) is State.ATTENTION
    story.tell(screen(5.0, "Sure? yes", ""), process(5.2, "job"))
    assert story.until(6.0) is State.RUNNING
    assert [change.after.state for change in story.changes] == [State.ATTENTION, State.RUNNING]


def test_a_full_screen_program_that_awaits_keys_is_at_rest() -> None:
    story = Story("vim a")
    view = msgspec.structs.replace(screen(1.0, "hello", "~"), alt_screen=True)
    story.tell(view, process(1.2, "vim", Wait.KEYS, canonical=False, echo=False, leader=True))
    assert story.until(3.0) is State.UNKNOWN


@pytest.mark.parametrize(
    ("line", "state"),
    [
        (" > ", State.UNKNOWN),
        (" >   Type your message", State.UNKNOWN),
        ("│ > hello", State.UNKNOWN),
        ("diff> ", State.UNKNOWN),
        ("diff multi> what is this", State.UNKNOWN),
        ("Overwrite it? > ", State.ATTENTION),
        ("Name: ", State.ATTENTION),
    ],
)
def test_nb5_a_line_editor_of_a_program_s_own_asks_nothing(line: str, state: State) -> None:
    story = Story("agent")
    keys = process(1.2, "agent", Wait.KEYS, canonical=False, echo=False, leader=True)
    story.tell(screen(1.0, "Hello.", line), keys)
    assert story.until(3.0) is state


def test_a_line_that_a_script_reads_behind_such_a_mark_is_a_question() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "which one> "), process(1.2, "job", Wait.READ))
    assert story.until(3.0) is State.ATTENTION


def shell(story: Story, at: float, *, prompt: str = "$ ") -> None:
    """The shell of the story shows its prompt."""
    story.tell(said(Source.EDITOR, Says.REST, at), screen(at, prompt))
    story.tell(process(at + 0.2, "bash", Wait.KEYS, leader=True, canonical=False, echo=False))


def command(story: Story, at: float, line: str, *output: str, lasts: float = 2.0) -> None:
    """A command runs in the story's shell, prints its output, and the prompt comes back."""
    typed = f"$ {line}"
    story.tell(said(Source.EDITOR, Says.RUNNING, at), process(at + 0.2, line.split()[0]))
    story.tell(said(Source.EDITOR, Says.REST, at + lasts))
    view = screen(at + lasts, typed, *output, "$ ", lines=(*output, "$ "))
    story.tell(msgspec.structs.replace(view, command=typed))
    story.tell(
        process(at + lasts + 0.2, "bash", Wait.KEYS, leader=True, canonical=False, echo=False)
    )


@pytest.mark.parametrize(
    ("line", "output", "state"),
    [
        ("make", ("done",), State.SUCCESS),
        ("pytest", ("1 failed, 2 passed in 3.0s",), State.FAILURE),
        ("lint", ("0 errors, 0 failed",), State.SUCCESS),
        ("git rebase", ("CONFLICT (content): Merge conflict in f",), State.FAILURE),
        ("sleep 60", ("^C",), State.UNKNOWN),
        ("serve", ("^CTraceback (most recent call last):", "KeyboardInterrupt"), State.UNKNOWN),
        ("./job", ("cannot",), State.ATTENTION),
    ],
)
def test_n76_without_a_status_the_words_of_the_turn_decide(
    line: str, output: tuple[str, ...], state: State
) -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    assert story.until(0.9) is State.UNKNOWN
    command(story, 1.0, line, *output)
    assert story.until(5.0) is state


@pytest.mark.parametrize(
    ("says", "state"),
    [(Says.SUCCEEDED, State.SUCCESS), (Says.FAILED, State.FAILURE),
     (Says.INTERRUPTED, State.UNKNOWN)],
)  # fmt: skip
def test_the_shells_own_mark_goes_before_all_words(says: Says, state: State) -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    story.tell(said(Source.SHELL, Says.RUNNING, 1.0))
    command(story, 1.0, "report", "FAILED  check 3")
    story.tell(said(Source.SHELL, says, 3.3))
    assert story.until(5.0) is state


def test_nb5_an_error_of_an_earlier_command_is_over() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    command(story, 1.0, "make", "error: no such target")
    assert story.until(4.0) is State.FAILURE
    command(story, 5.0, "make", "done")
    assert story.until(9.0) is State.SUCCESS


def test_enter_at_an_empty_prompt_is_no_turn() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    story.tell(said(Source.EDITOR, Says.RUNNING, 1.0), said(Source.EDITOR, Says.REST, 1.01))
    view = screen(1.02, "$ ", "$ ", lines=("$ ",))
    story.tell(msgspec.structs.replace(view, command="$"))
    assert story.until(3.0) is State.UNKNOWN


def test_nb18_ctrl_c_of_the_user_is_remembered() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    story.tell(said(Source.EDITOR, Says.RUNNING, 1.0), Typed(2.0, Key.INTERRUPT))
    view = screen(2.1, "$ x", "error: bad", "$ ", lines=("error: bad", "$ "))
    story.tell(said(Source.EDITOR, Says.REST, 2.1), view)
    assert story.until(4.0) is State.UNKNOWN


def test_n69_input_that_was_sent_is_thought_about() -> None:
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


def editor(says: Says, at: float) -> Evidence:
    return said(Source.EDITOR, says, at)


def test_n68_a_command_too_quick_to_be_shown_completes_its_turn_too() -> None:
    story = Story("bash")
    story.tell(editor(Says.REST, 1.0), screen(1.0, "$ "))
    for at in (5.0, 7.0):
        story.tell(Typed(at, Key.ENTER), editor(Says.RUNNING, at + 0.01))
        story.tell(editor(Says.REST, at + 0.02), screen(at + 0.02, "$ ls", "a b", "$ "))
    story.until(9.0)
    ended = [change.after for change in story.changes if change.completed and change.after.turn]
    assert [(one.state, one.turn) for one in ended] == [(State.SUCCESS, 1), (State.SUCCESS, 2)]


def test_n76_a_shell_without_marks_ends_a_quick_command_by_reading_again() -> None:
    story = Story("sh")
    prompt = Foreground(at=1.0, command="sh", leader=True, wait=Wait.READ)
    story.tell(screen(0.9, "# "), prompt)
    assert story.until(4.0) is State.UNKNOWN
    story.tell(Typed(5.0, Key.ENTER))
    story.tell(screen(5.1, "# git log", "fatal: no repository", "# ", lines=("fatal: x", "# ")))
    story.tell(msgspec.structs.replace(prompt, at=5.3))
    assert story.until(6.0) is State.FAILURE
    assert (story.changes[-1].completed, story.changes[-1].after.turn) == (True, 1)


def test_n71_an_exit_completes_the_turn_whatever_was_shown() -> None:
    story = Story("vim")
    story.until(10.0)
    story.tell(Ended(11.0, 0))
    assert (story.changes[-1].completed, story.changes[-1].after.state) == (True, State.SUCCESS)


@pytest.mark.parametrize(
    ("command", "interactive"),
    [("bash -i", True), ("zsh", True), ("bash --login", True), ("bash --rcfile x -i", True),
     ("bash build.sh", False), ("sh -c 'sleep 3'", False), ("bash -lc make", False)],
)  # fmt: skip
def test_a_shell_that_runs_a_script_is_a_program(command: str, interactive: bool) -> None:
    assert Judge(command, BOOK, at=0.0).known.shell is interactive


def test_an_agent_in_a_shell_is_judged_as_an_agent() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    story.tell(said(Source.EDITOR, Says.RUNNING, 1.0), process(1.3, "claude"))
    story.tell(title(Says.BUSY, 1.5))
    assert story.until(2.5) is State.THINKING
    story.tell(hook(Says.WAITS, 3.0), title(Says.REST, 3.0))
    assert story.until(4.0) is State.ATTENTION
    shell(story, 9.0)
    assert story.until(10.0) is State.SUCCESS
    command(story, 11.0, "ls", "a b")
    assert story.until(14.0) is State.SUCCESS


def test_x18_the_phase_follows_what_is_shown() -> None:
    story = Story("make")
    story.tell(Ended(1.0, 2))
    assert phase_of(story.judge.shown.state) is Phase.ERROR


def test_n78_n86_a_dialog_s_words_are_the_summary_without_their_secrets() -> None:
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
    summary = telling.verdict(story.judge).summary
    assert summary.startswith("Do you want to proceed? · Bash command · curl -H")
    assert "REDACTED" in summary and "a1B2" not in summary


def test_n70_what_was_shown_before_is_held_until_somebody_looked_at_the_processes() -> None:
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
def test_n70_a_turn_that_is_remembered_as_over_stays_over(before: State, after: State) -> None:
    story = Story("./job")
    story.judge.recall(before, at=10.0)
    assert story.until(60.0) is after


def test_n70_until_the_next_turn_begins() -> None:
    story = Story("vim a")
    story.judge.recall(State.SUCCESS, at=10.0)
    view = msgspec.structs.replace(screen(12.05, "x"), alt_screen=True)
    keys = process(12.06, "vim", Wait.KEYS, canonical=False, echo=False, leader=True)
    story.tell(Typed(12.0, Key.ENTER), view, keys)
    assert story.until(13.0) is State.UNKNOWN


def test_n68_what_completes_a_turn() -> None:
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


def test_n68_another_command_in_the_shell_completes_nothing_while_it_runs() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    command(story, 1.0, "ls", "a b")
    assert story.until(5.0) is State.SUCCESS
    story.tell(editor(Says.RUNNING, 8.0), process(8.2, "make"))
    assert story.until(12.0) is State.RUNNING
    assert not story.changes[-1].completed


def test_n68_a_command_that_came_and_went_in_one_moment_completes_its_turn() -> None:
    story = Story("bash")
    story.tell(editor(Says.REST, 1.0), screen(1.0, "$ "))
    story.tell(Typed(5.0, Key.ENTER), editor(Says.RUNNING, 5.01), editor(Says.REST, 5.01))
    story.tell(screen(5.01, "$ ls", "a b", "$ "))
    story.until(7.0)
    assert [change.completed for change in story.changes if change.after.turn] == [True]


def test_a_quick_command_is_waited_for_until_its_prompt_has_settled() -> None:
    story = Story("bash")
    story.tell(editor(Says.REST, 1.0), screen(1.0, "$ "))
    command(story, 2.0, "ls", "a b")
    assert story.until(8.0) is State.SUCCESS
    story.tell(editor(Says.RUNNING, 9.0), editor(Says.REST, 9.02), screen(9.02, "$ ls", "c", "$ "))
    assert story.judge.wake_at == 9.02 + SETTLE
    count = len(story.changes)
    assert story.judge.tick(9.02 + SETTLE - 0.01) is None
    story.until(9.02 + SETTLE)
    assert [change.completed for change in story.changes[count:]] == [True]


def test_n71_a_state_is_shown_when_it_has_settled_and_the_one_before_could_be_read() -> None:
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


def test_words_that_came_after_the_look_at_the_processes_are_not_what_was_read_behind() -> None:
    story = Story("./job")
    story.tell(process(1.0, "job", Wait.READ), screen(1.2, "hello", "Your name "))
    assert story.until(2.0) is State.RUNNING
    story = Story("./job")
    story.tell(process(1.0, "job", Wait.READ), screen(1.05, "hello", "Your name "))
    assert story.until(2.0) is State.ATTENTION
    story.tell(screen(3.0, "hello", "Your name a"))
    assert story.until(3.9) is State.ATTENTION


def test_a_call_by_any_words_lasts_while_the_answer_is_typed() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "Your name "), process(1.2, "job", Wait.READ))
    story.tell(screen(3.0, "Your name a"))
    assert story.until(3.9) is State.ATTENTION


@pytest.mark.parametrize(
    "more", [{"canonical": False}, {"canonical": False, "echo": False}]
)  # fmt: skip
def test_who_reads_single_keys_does_not_read_behind_any_words(more: dict[str, bool]) -> None:
    story = Story("./job")
    story.tell(screen(1.0, "hello", "at 10 percent"), process(1.2, "job", Wait.READ, **more))
    assert story.until(2.0) is State.RUNNING


@pytest.mark.parametrize("rows", [("Working",), ("Your name y", "Your name x")])
def test_a_question_is_kept_in_its_row_and_by_its_words(rows: tuple[str, ...]) -> None:
    story = Story("./job")
    story.tell(screen(1.0, "Your name "), process(1.2, "job", Wait.READ))
    assert story.until(2.0) is State.ATTENTION
    story.tell(screen(3.0, *rows))
    assert story.until(3.9) is State.RUNNING


@pytest.mark.parametrize(
    ("code", "signal", "stopped", "state", "rule", "text"),
    [
        (0, None, False, State.SUCCESS, "exit-0", "exit 0"),
        (0, None, True, State.SUCCESS, "exit-0", "exit 0"),
        (3, None, False, State.FAILURE, "exit-code", "exit 3"),
        (3, None, True, State.UNKNOWN, "stopped-by-us", "exit 3"),
        (143, 15, False, State.UNKNOWN, "interrupted", "signal 15"),
        (139, 11, False, State.FAILURE, "exit-code", "signal 11"),
    ],
)
def test_n74_n75_nb18_an_end_tells_its_code_or_its_signal(
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
def test_nb18_an_end_by_ctrl_c_is_no_failure_whatever_its_code(key: Key, state: State) -> None:
    story = Story("make")
    story.tell(Typed(1.0, key), Ended(2.0, 2))
    assert story.judge.shown.state is state


@pytest.mark.parametrize(
    ("seen", "believed"),
    [
        (process(1.0, "x", Wait.READ), False),
        (process(1.0, "x", Wait.READ, canonical=False), True),
        (process(1.0, "x", Wait.KEYS), True),
        (process(1.0, "x", echo=False), False),
        (process(1.0, "x"), True),
    ],
)
def test_who_reads_lines_asks_by_itself_whatever_status_is_told(
    seen: Foreground, believed: bool
) -> None:
    story = Story("./job")
    story.tell(screen(0.5, "x "), said(Source.STATUS, Says.BUSY, 0.9), seen)
    assert (story.until(2.0) is State.THINKING) is believed


def test_a_screen_that_stays_is_read_anew_by_the_rules_of_another_program() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    story.tell(said(Source.EDITOR, Says.RUNNING, 1.0), process(1.2, "make"))
    dialog = (" Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel · Tab to amend")
    story.tell(screen(2.0, "─" * 30, " Bash command", *dialog))
    assert story.until(2.9) is State.RUNNING
    story.tell(process(3.0, "claude"))
    assert story.until(4.0) is State.ATTENTION
