"""What a program wrote, and what the user typed behind it: only the first asks."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import Key, Typed, Wait
from nagomi_tui.judge.verdict import State
from tests.helpers.drawn import Drawn
from tests.helpers.judge_story import Story, process, screen

TYPED = ["hello", "is that all?", "one two: ", "(really)"]


@pytest.mark.parametrize("text", TYPED)
@pytest.mark.parametrize("keys", [True, False])
@pytest.mark.requirement("NB-6")
def test_what_is_typed_into_a_reader_of_lines_calls_nobody(text: str, keys: bool) -> None:
    """So `cat`, `wc`, `read` and `input()` are typed into, whether or not the keys are known."""
    drawn = Drawn("cat", raw=False)
    drawn.prints("$ cat\r\n", 2.0)
    for round_ in range(2):
        for char in text:
            if keys:
                drawn.presses(Key.TEXT)
            drawn.prints(char, 0.2)
        drawn.wait(2.0)
        if keys:
            drawn.presses()
        drawn.prints(f"\r\n{round_}\r\n", 1.0)
    assert "attention" not in drawn.states, drawn.why


@pytest.mark.parametrize("text", TYPED)
@pytest.mark.requirement("NB-6")
def test_what_is_typed_before_anything_was_printed_or_seen_calls_nobody(text: str) -> None:
    """A program that only reads, typed into as it starts: the first look shows the whole echo."""
    story = Story("wc")
    story.tell(Typed(0.2, Key.TEXT))
    story.tell(screen(0.3, text), process(0.5, "wc", Wait.READ))
    story.until(4.0)
    assert story.judge.shown.state is not State.ATTENTION, story.judge.shown


@pytest.mark.parametrize(("count", "asks"), [(24, False), (1, True)])
@pytest.mark.requirement("NB-6")
def test_a_text_that_is_sent_at_once_is_an_echo_and_what_is_longer_is_not(
    count: int, asks: bool
) -> None:
    """The line editor of ash draws what is pasted; a menu may ask after a single key."""
    drawn = Drawn("ash")
    drawn.prints("/srv # ", 2.0)
    drawn.presses(Key.TEXT, count)
    drawn.prints("rm -r old # sure? [y/n] ", 3.0)
    assert ("attention" in drawn.states) is asks, drawn.why


def test_a_short_question_that_comes_after_its_reader_was_seen_is_one() -> None:
    story = Story("./job")
    story.tell(screen(0.3, ""), process(0.4, "job", Wait.READ), screen(0.6, "Sure? "))
    assert story.until(3.0) is State.ATTENTION


def test_a_question_in_the_next_row_is_one_though_the_last_answer_was_just_typed() -> None:
    drawn = Drawn("setup", raw=False)
    drawn.prints("Name: ", 2.0)
    assert drawn.state is State.ATTENTION
    for char in "ada":
        drawn.presses(Key.TEXT)
        drawn.prints(char, 0.15)
    drawn.presses()
    drawn.prints("\r\nIs that right ", 1.5)
    assert drawn.state is State.ATTENTION
    assert drawn.judge.known.question is not None
    assert drawn.judge.known.question[1] == "Is that right "


def test_a_question_stays_asked_while_a_log_prints_below_it() -> None:
    drawn = Drawn("deploy", raw=False)
    drawn.prints("Switch the traffic? [y/N] ", 2.0)
    assert drawn.state is State.ATTENTION
    for number in range(60):
        drawn.prints(f"INFO object {number} copied\r\n", 0.1)
    drawn.wait(3.0)
    assert drawn.state is State.ATTENTION
    assert drawn.states.count("attention") == 1, drawn.states
    drawn.presses(Key.TEXT)
    drawn.presses()
    drawn.wait_for = Wait.NOTHING
    drawn.prints("y\r\n", 1.0)
    assert drawn.state is State.RUNNING


@pytest.mark.parametrize("question", ["Go on? [y/N] ", "[sudo] password for me: "])
def test_a_question_is_over_once_its_answer_was_entered(question: str) -> None:
    """Its process may read again before anybody sees that it did anything else."""
    drawn = Drawn("asks", raw=False)
    drawn.prints(question, 2.0)
    assert drawn.state is State.ATTENTION
    drawn.presses(Key.TEXT)
    drawn.presses()
    drawn.prints("\r\n7 taken\r\n", 2.0)
    assert drawn.judge.known.question is None
    assert drawn.state is State.UNKNOWN


def test_a_question_is_over_once_its_process_did_anything_but_read() -> None:
    story = Story("./job")
    story.tell(screen(1.0, "Go on? [y/N] "), process(1.2, "job", Wait.READ))
    story.tell(screen(2.0, "Go on? [y/N] ", "INFO a", ""), process(2.2, "job", Wait.READ))
    assert story.until(3.0) is State.ATTENTION
    story.tell(process(4.0, "job"), process(5.0, "job", Wait.READ))
    assert story.until(6.0) is State.UNKNOWN


@pytest.mark.parametrize(
    "prompt", ["  DB<{}> ", "f@(g) [{}]> ", "User: ", "main[{}] ", "SQL> ", "(Cmd) ", "{}> "]
)
def test_a_prompt_that_comes_after_each_command_calls_nobody(prompt: str) -> None:
    drawn = Drawn("debugger", raw=False)
    for number in range(1, 5):
        drawn.prints(prompt.format(number), 2.0)
        drawn.presses(Key.TEXT)
        drawn.presses()
        drawn.prints("s\r\ndone\r\n", 0.2)
    assert "attention" not in drawn.states, drawn.why


def test_a_prompt_of_any_form_is_known_once_it_has_come_back() -> None:
    drawn = Drawn("oracle", raw=False)
    for _ in range(4):
        drawn.prints("next please: ", 2.0)
        drawn.presses(Key.TEXT)
        drawn.presses()
        drawn.prints("s\r\ndone\r\n", 0.2)
    assert drawn.states.count("attention") <= 1, drawn.states


@pytest.mark.parametrize(
    "question", ["Overwrite it? [y/N] ", "  Enter a value: ", "Password for x: "]
)
def test_a_question_that_is_asked_again_stays_one(question: str) -> None:
    drawn = Drawn("setup", raw=False)
    for number in range(3):
        drawn.prints(f"file {number}\r\n{question}", 2.0)
        assert drawn.state is State.ATTENTION, number
        drawn.presses(Key.TEXT)
        drawn.presses()
        drawn.prints("y\r\ndone\r\n", 0.2)


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize(
    "hint", ["… (Ctrl+C ends the turn)", "…（Ctrl+C で中断）", "Busy (esc to stop) "]
)
def test_a_hint_at_the_key_that_breaks_off_asks_nothing(raw: bool, hint: str) -> None:
    """So does nagomi's own agent while it answers."""
    drawn = Drawn("chat", raw=raw)
    drawn.prints(hint, 5.0)
    assert "attention" not in drawn.states, drawn.why


def test_a_question_stays_asked_while_its_seconds_are_counted_down() -> None:
    drawn = Drawn("job", raw=False)
    for left in range(9, 2, -1):
        drawn.prints(f"\rGo on? [Y/n] (auto in {left} s) ", 1.0)
    assert drawn.states.count("attention") <= 1, drawn.states


@pytest.mark.parametrize("wait", [0.1, 2.0])
def test_each_question_calls_though_its_answer_was_quickly_taken(wait: float) -> None:
    drawn = Drawn("setup", raw=False)
    for question in ("First name: ", "Last name: ", "First name: "):
        drawn.prints(question, 2.0)
        drawn.presses(Key.TEXT)
        drawn.prints("a", 0.1)
        drawn.presses()
        drawn.prints("\r\n", wait)
    assert drawn.calls.count("attention") == 3
