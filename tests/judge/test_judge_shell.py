"""Commands in a shell: how each of them ends, by marks or by words."""

from __future__ import annotations

import msgspec
import pytest

from nagomi_tui.judge.evidence import Foreground, Key, Says, Source, Typed, Wait
from nagomi_tui.judge.judge import SETTLE, Judge
from nagomi_tui.judge.verdict import State
from tests.helpers.judge_story import (
    BOOK,
    Story,
    command,
    editor,
    hook,
    process,
    said,
    screen,
    shell,
    title,
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
@pytest.mark.requirement("N-76")
def test_without_a_status_the_words_of_the_turn_decide(
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


@pytest.mark.requirement("NB-5")
def test_an_error_of_an_earlier_command_is_over() -> None:
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


@pytest.mark.requirement("NB-18")
def test_ctrl_c_of_the_user_is_remembered() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    story.tell(said(Source.EDITOR, Says.RUNNING, 1.0), Typed(2.0, Key.INTERRUPT))
    view = screen(2.1, "$ x", "error: bad", "$ ", lines=("error: bad", "$ "))
    story.tell(said(Source.EDITOR, Says.REST, 2.1), view)
    assert story.until(4.0) is State.UNKNOWN


@pytest.mark.requirement("N-68")
def test_a_command_too_quick_to_be_shown_completes_its_turn_too() -> None:
    story = Story("bash")
    story.tell(editor(Says.REST, 1.0), screen(1.0, "$ "))
    for at in (5.0, 7.0):
        story.tell(Typed(at, Key.ENTER), editor(Says.RUNNING, at + 0.01))
        story.tell(editor(Says.REST, at + 0.02), screen(at + 0.02, "$ ls", "a b", "$ "))
    story.until(9.0)
    ended = [change.after for change in story.changes if change.completed and change.after.turn]
    assert [(one.state, one.turn) for one in ended] == [(State.SUCCESS, 1), (State.SUCCESS, 2)]


@pytest.mark.requirement("N-76")
def test_a_shell_without_marks_ends_a_quick_command_by_reading_again() -> None:
    story = Story("sh")
    prompt = Foreground(at=1.0, command="sh", leader=True, wait=Wait.READ)
    story.tell(screen(0.9, "# "), prompt)
    assert story.until(4.0) is State.UNKNOWN
    story.tell(Typed(5.0, Key.ENTER))
    story.tell(screen(5.1, "# git log", "fatal: no repository", "# ", lines=("fatal: x", "# ")))
    story.tell(msgspec.structs.replace(prompt, at=5.3))
    assert story.until(6.0) is State.FAILURE
    assert (story.changes[-1].completed, story.changes[-1].after.turn) == (True, 1)


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


@pytest.mark.requirement("N-68")
def test_another_command_in_the_shell_completes_nothing_while_it_runs() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    command(story, 1.0, "ls", "a b")
    assert story.until(5.0) is State.SUCCESS
    story.tell(editor(Says.RUNNING, 8.0), process(8.2, "make"))
    assert story.until(12.0) is State.RUNNING
    assert not story.changes[-1].completed


@pytest.mark.requirement("N-68")
def test_a_command_that_came_and_went_in_one_moment_completes_its_turn() -> None:
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


def test_a_screen_that_stays_is_read_anew_by_the_rules_of_another_program() -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    story.tell(said(Source.EDITOR, Says.RUNNING, 1.0), process(1.2, "make"))
    dialog = (" Do you want to proceed?", " ❯ 1. Yes", "   2. No", " Esc to cancel · Tab to amend")
    story.tell(screen(2.0, "─" * 30, " Bash command", *dialog))
    assert story.until(2.9) is State.RUNNING
    story.tell(process(3.0, "claude"))
    assert story.until(4.0) is State.ATTENTION


RECAP = "localhost : ok=3 changed=2 unreachable=0 failed={} skipped=0 rescued=0 ignored=1"
IGNORED = 'fatal: [localhost]: FAILED! => {"rc": 1}'


@pytest.mark.parametrize(
    ("output", "state"),
    [
        ((IGNORED, "...ignoring", RECAP.format(0)), State.SUCCESS),
        ((IGNORED, RECAP.format(1)), State.FAILURE),
        ((IGNORED, RECAP.format(0), "ERROR! the callback failed"), State.FAILURE),
        (("Do you want it? no", "Destroy cancelled."), State.FAILURE),
        (("error connecting to api.example.com",), State.FAILURE),
        (("[1] 1334", "[1]   Done        ( sleep 4; echo 'ERROR: sync failed' )"), State.SUCCESS),
    ],
)
def test_without_a_status_the_last_words_count_most(output: tuple[str, ...], state: State) -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    command(story, 1.0, "play", *output)
    assert story.until(5.0) is state


@pytest.mark.parametrize("printed", ["ERROR: sync failed", "Overwrite all? [y/N] "])
def test_what_a_job_prints_at_the_prompt_is_no_verdict_on_the_command_before(printed: str) -> None:
    story = Story("bash -i")
    shell(story, 0.1)
    command(story, 1.0, "make", "done")
    assert story.until(5.0) is State.SUCCESS
    view = screen(6.0, "$ make", "done", f"$ {printed}", lines=("done", f"$ {printed}"))
    story.tell(msgspec.structs.replace(view, command="$ make"))
    assert story.until(9.0) is State.SUCCESS


def test_what_a_program_had_printed_before_its_last_key_is_not_how_it_ended() -> None:
    """So bpython ends well after an exception, and a watcher that is left by a key."""
    story = Story("bash -i")
    shell(story, 0.1)
    shown = ("ValueError: no", "> ")
    story.tell(said(Source.EDITOR, Says.RUNNING, 1.0))
    story.tell(screen(2.0, "$ bpython", *shown, lines=shown))
    story.tell(process(2.2, "bpython", Wait.KEYS, canonical=False, echo=False))
    story.tell(said(Source.EDITOR, Says.REST, 4.0))
    story.tell(screen(4.1, "$ bpython", *shown, "$ ", lines=(*shown, "$ ")))
    assert story.until(6.0) is State.SUCCESS
