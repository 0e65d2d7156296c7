"""What counts as a question of a program, and for how long."""

from __future__ import annotations

import msgspec
import pytest

from nagomi_tui.judge.evidence import Foreground, Says, Source, Wait
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.judging import session_judge
from tests.helpers.judge_story import (
    Story,
    process,
    said,
    screen,
)


@pytest.mark.parametrize(
    ("line", "state"),
    [("Continue? [y/N] ", State.ATTENTION), ("Your name ", State.ATTENTION),
     (">>> ", State.UNKNOWN), ("", State.UNKNOWN)],
)  # fmt: skip
def test_a_read_of_the_terminal_is_a_call_only_after_words(line: str, state: State) -> None:
    story = Story("./job")
    story.tell(screen(1.0, "hello", line), process(1.2, "job", Wait.READ))
    assert story.until(2.0) is state


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("Do you want to continue?", "[Y/n] "), "Do you want to continue? [Y/n]"),
        (("noise", "", "Which one?", "", "> "), "Which one? >"),
        (("1) one", "2) two", "#? "), "1) one 2) two #?"),
        (("Delete it all?", "  files: 14", "yes/no: "), "Delete it all? files: 14 yes/no:"),
        (("$ read -p '[Y/n] ' x", "[Y/n] "), "[Y/n]"),
        (("noise", "続けますか？ "), "続けますか？"),
        (("word " * 40 + "Go on? [y/N] ",), f"…{('word ' * 40 + 'Go on? [y/N]')[-119:]}"),
    ],
)
def test_a_question_is_told_with_its_words_and_its_end(lines: tuple[str, ...], told: str) -> None:
    story = Story("./job")
    story.tell(screen(1.0, *lines, lines=lines), process(1.2, "job", Wait.READ))
    assert story.until(2.0) is State.ATTENTION
    assert session_judge.verdict(story.judge).summary == told


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
@pytest.mark.requirement("NB-5")
def test_a_line_editor_of_a_program_s_own_asks_nothing(line: str, state: State) -> None:
    story = Story("agent")
    keys = process(1.2, "agent", Wait.KEYS, canonical=False, echo=False, leader=True)
    story.tell(screen(1.0, "Hello.", line), keys)
    assert story.until(3.0) is state


def test_a_line_that_a_script_reads_behind_such_a_mark_is_a_question() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "which one> "), process(1.2, "job", Wait.READ))
    assert story.until(3.0) is State.ATTENTION


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
