"""Agents that nobody knows, played to the judge by a clock of ours: at work, asking, done."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judge.evidence import Key
from nagomi_tui.judge.verdict import BUSY, State
from tests.helpers.drawn import Drawn
from tests.helpers.odd_agents import ODD, Play, above, boxed
from tests.helpers.unknown_agent import KINDS, Agent, Look

if TYPE_CHECKING:
    from collections.abc import Callable

EVERYONE = {**ODD, **{f"run-{name}": agent for name, agent in KINDS.items()}}
PLAIN = Agent(full=False, field=above(lambda _: []), asks=[])
WORDS = ("It is a long story about a project that prints a greeting and no more. " * 5).split()


def begin(agent: Agent, asked: str = "hello") -> Play:
    """An agent is there, and the user has asked it something."""
    play = Play(agent, Drawn())
    play.rests(2.5)
    for number in range(1, len(asked) + 1):
        play.drawn.presses(Key.TEXT)
        play.rests(0.1, asked[:number])
    assert play.drawn.state is State.UNKNOWN, play.drawn.why
    play.drawn.presses()
    play.drawn.wait(0.02)
    play.screen.say(f"You: {asked}")
    return play


def turn(play: Play, every: Callable[[], float]) -> None:
    """Let it work, ask and work again, and be done; it must be shown so, and nothing else."""
    drawn, shown = play.drawn, len(play.drawn.states)
    play.works(4.0, every)
    assert drawn.state in BUSY, drawn.why
    play.asks(2.5)
    assert drawn.state is State.ATTENTION, drawn.why
    drawn.presses()
    drawn.wait(0.02)
    play.works(4.0, every)
    assert drawn.state in BUSY, drawn.why
    play.screen.say("It is done: 3 files changed.")
    play.rests(3.5)
    assert drawn.state is State.SUCCESS, drawn.why
    told = drawn.states[shown:]
    assert (told.count("attention"), told.count("success")) == (1, 1), told


@pytest.mark.parametrize("kind", EVERYONE)
@pytest.mark.requirement("N-85")
def test_an_agent_of_unknown_shape_works_asks_and_is_done(kind: str) -> None:
    turn(begin(EVERYONE[kind]), lambda: 0.1)


@pytest.mark.parametrize("pace", ["slow", "starved"])
@pytest.mark.parametrize("kind", [f"run-{name}" for name in KINDS])
@pytest.mark.requirement("N-85")
def test_one_that_draws_seldom_on_a_loaded_machine_is_not_done_meanwhile(
    kind: str, pace: str
) -> None:
    chance = random.Random(14)
    waits = {"slow": [0.3], "starved": [0.3, 0.8, 1.5]}[pace]
    turn(begin(EVERYONE[kind]), lambda: chance.choice(waits))


def stream(play: Play, wait: Callable[[], float], *, types: bool = False) -> None:
    """Write an answer word by word above a field that stays, with nothing that turns."""
    line, draft = "", ""
    for number, word in enumerate(WORDS):
        line += f"{word} "
        if len(line) > 70:
            play.screen.say(line)
            line = ""
        if types and number > 10:
            draft += "x"
            play.drawn.presses(Key.TEXT)
        play.screen.draw(Look([line, "", *boxed(draft[:20])], (3, 4 + len(draft[:20]))))
        play.drawn.wait(wait())


@pytest.mark.parametrize("types", [False, True])
def test_an_answer_that_flows_without_any_spinner_is_work_until_it_stands(types: bool) -> None:
    play = begin(PLAIN)
    chance = random.Random(1)
    stream(play, lambda: chance.choice([0.05, 0.1, 0.8]), types=types)
    assert play.drawn.states[-1] in BUSY
    assert "success" not in play.drawn.states
    play.rests(3.0)
    assert play.drawn.states[-1] == "success"


def test_an_answer_at_once_is_no_work() -> None:
    play = begin(PLAIN, "/help")
    play.rests(0.3)
    play.screen.say("Three commands are there.")
    play.rests(3.0)
    assert play.drawn.states[-1] == "unknown"


def test_a_list_that_grows_while_one_types_is_no_work() -> None:
    play = Play(PLAIN, Drawn())
    play.rests(2.0)
    before = len(play.drawn.states)
    for number in range(8):
        play.drawn.presses(Key.TEXT)
        found = [f"  /command-{number}{row}  does it" for row in range(5)]
        play.screen.draw(Look([*found, *boxed("/help me"[:number])], (6, 4 + number)))
        play.drawn.wait(0.3)
    assert play.drawn.states[before:] == []


@pytest.mark.parametrize("kind", ["unsigned", "role"])
def test_each_end_of_a_turn_is_told_and_typing_is_no_work(kind: str) -> None:
    play = begin(ODD[kind])
    for number in range(3):
        shown = len(play.drawn.states)
        play.works(3.0)
        play.screen.say(f"Answer {number}: it prints a greeting.")
        play.rests(3.0)
        for typed in range(1, 5):
            play.drawn.presses(Key.TEXT)
            play.rests(0.3, "next"[:typed])
        assert play.drawn.state is State.SUCCESS, play.drawn.why
        assert play.drawn.states[shown:].count("success") == 1, play.drawn.states
        play.drawn.presses()
        play.screen.say("You: next")


def test_an_old_error_above_the_next_answer_is_not_its_end() -> None:
    play = begin(ODD["unsigned"])
    play.works(2.0)
    play.screen.say("Error: 429 the quota is used up")
    play.rests(3.0)
    assert play.drawn.state is State.FAILURE, play.drawn.why
    play.drawn.presses()
    for line in ("You: again", "", "It prints a greeting."):
        play.screen.say(line)
        play.works(1.5)
    play.rests(3.0)
    assert play.drawn.state is State.SUCCESS, play.drawn.why
    play.drawn.presses()
    play.screen.say("You: once more")
    play.works(2.0)
    play.screen.say("Error: 429 the quota is used up")
    play.rests(3.0)
    assert play.drawn.state is State.FAILURE, play.drawn.why


def signed(sign: str) -> Agent:
    """One that prompts with a sign alone, as interpreters and shells do."""

    def field(text: str, tick: int | None) -> Look:
        if tick is not None:
            return Look([f"{'⠋⠙⠹⠸⠼⠴⠦⠧'[tick % 8]} asking the oracle"])
        return Look([sign + text], (0, len(sign) + len(text)))

    return Agent(False, field, ["Run `make`? [y/N] "])


@pytest.mark.parametrize("sign", [">>> ", "> ", "❯ ", "» "])
@pytest.mark.requirement("N-85")
def test_a_sign_alone_prompts_in_an_agent_where_something_turns_after_it(sign: str) -> None:
    turn(begin(signed(sign)), lambda: 0.1)


@pytest.mark.parametrize(
    ("name", "sign"),
    [("python3.12", ">>> "), ("node", "> "), ("R", "> "), ("ssh", "❯ "), ("zub", "(gdb) ")],
)
def test_an_interpreter_in_which_something_turns_is_none(name: str, sign: str) -> None:
    play = Play(signed(sign), Drawn(name))
    play.rests(2.5)
    play.drawn.presses()
    play.works(4.0)
    play.rests(3.5)
    assert play.drawn.judge.known.likely == ""
    assert "success" not in play.drawn.states


def test_a_prompt_of_a_word_alone_makes_no_agent_of_a_program() -> None:
    """So programs prompt that read commands: nothing turns while one of these runs."""
    drawn = Drawn()
    drawn.prints("zub> ", 2.0)
    drawn.prints("list", 0.5)
    drawn.presses()
    for number in range(20):
        drawn.prints(f"\r\nentry {number}", 0.2)
    drawn.prints("\r\nzub> ", 3.0)
    assert drawn.judge.known.likely == ""
    assert "success" not in drawn.states


def shapeless(text: str, tick: int | None) -> Look:
    """A screen whose field has no form that is known."""
    busy = "" if tick is None else f"  {'⠋⠙⠹⠸⠼⠴⠦⠧'[tick % 8]} Reading"
    rows = [*[""] * 19, busy, "", f"   Message: {text}", "   model-x", ""]
    return Look(rows, (21, 12 + len(text)))


NEW_DIALOG = ["  It would touch /tmp/a7", "", "  ⟪ Shall it be so ⟫", "   ⟨y⟩ fine   ⟨x⟩ leave it"]


@pytest.mark.parametrize("full", [True, False])
def test_an_agent_that_never_showed_a_known_field_is_seen_to_work_and_to_stand_still(
    full: bool,
) -> None:
    play = Play(Agent(full, shapeless, NEW_DIALOG), Drawn("claude"))
    play.rests(2.5)
    for number in range(1, 6):
        play.drawn.presses(Key.TEXT)
        play.rests(0.1, "hello"[:number])
    play.drawn.presses()
    play.drawn.wait(0.02)
    play.works(4.0)
    assert play.drawn.state in BUSY, play.drawn.why
    play.asks(4.0)
    assert play.drawn.state in (State.SUCCESS, State.ATTENTION), play.drawn.why
    play.drawn.presses()
    play.works(2.0)
    assert play.drawn.judge.mismatch is not None
