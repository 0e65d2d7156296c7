"""The judge knows when it does not know."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import Corrected, Key, Says, Source, Typed
from nagomi_tui.judge.verdict import State
from nagomi_tui.judge.versions import Fit, Mismatch
from tests.helpers.judge_story import Story, said, screen

FIELD = ("────────────────────", "❯ ", "────────────────────", "  ? for shortcuts")
ASKS = ("● I would run it.", "", " ⟪ Shall it be?  ⟫", "   yes ⟨⟩ no")
WORKS = ("● I run it.", "", "✻ Galloping… (3s · esc to interrupt)", *FIELD)


def turn(fit: Fit, number: int, *, held: bool, works: bool, looks: int = 8) -> None:
    for at in range(looks):
        fit.looked(number * 100 + at * 0.5, number, held=held, works=works)


def test_a_whole_turn_without_a_rule_is_noticed_when_it_is_over() -> None:
    fit = Fit()
    turn(fit, 1, held=False, works=True)
    assert fit.mismatch is None
    turn(fit, 2, held=True, works=True)
    assert fit.mismatch is Mismatch.NO_RULE


def test_a_rest_or_a_short_turn_or_one_rule_says_nothing() -> None:
    for held, works, looks in ((True, True, 8), (False, False, 8), (False, True, 3)):
        fit = Fit()
        for number in range(3):
            turn(fit, number, held=held, works=works, looks=looks)
        assert fit.mismatch is None


def test_a_turn_of_many_looks_within_a_moment_says_nothing() -> None:
    """However late in the session it comes."""
    fit = Fit()
    for number in (1, 2):
        for at in range(8):
            fit.looked(number * 100 + at * 0.1, number, held=False, works=True)
    assert fit.mismatch is None


@pytest.mark.parametrize(
    ("looks", "every", "noticed"), [(6, 0.4, True), (5, 1.0, False), (6, 0.39, False)]
)
def test_a_turn_says_something_from_six_looks_in_two_seconds_on(
    looks: int, every: float, noticed: bool
) -> None:
    fit = Fit()
    for at in range(looks):
        fit.looked(100 + at * every, 1, held=False, works=True)
    fit.looked(200.0, 2, held=True, works=True)
    assert (fit.mismatch is Mismatch.NO_RULE) is noticed


@pytest.mark.parametrize("key", [Key.ENTER, Key.TEXT])
def test_a_key_that_makes_it_go_on_was_an_answer(key: Key) -> None:
    fit = Fit()
    fit.typed(Typed(1.0, key), State.UNKNOWN, field=False)
    fit.shows(State.UNKNOWN, 1.2)
    fit.shows(State.THINKING, 1.5)
    assert fit.mismatch is Mismatch.ANSWERED


@pytest.mark.parametrize(("shown", "at", "noticed"), [
    (State.SUCCESS, 3.5, True), (State.SUCCESS, 3.6, False), (State.RUNNING, 1.5, False),
    (State.ATTENTION, 1.5, False),
])  # fmt: skip
def test_an_answer_is_given_at_a_rest_and_taken_up_soon(
    shown: State, at: float, noticed: bool
) -> None:
    fit = Fit()
    fit.typed(Typed(1.0, Key.ENTER), shown, field=False)
    fit.shows(State.RUNNING, at)
    assert (fit.mismatch is Mismatch.ANSWERED) is noticed


@pytest.mark.parametrize(("state", "shown", "noticed"), [
    (State.ATTENTION, State.UNKNOWN, True), (State.ATTENTION, State.FAILURE, True),
    (State.ATTENTION, State.RUNNING, False), (State.SUCCESS, State.UNKNOWN, False),
])  # fmt: skip
def test_a_correction_is_a_sign_where_a_question_was_taken_for_a_rest(
    state: State, shown: State, noticed: bool
) -> None:
    fit = Fit()
    fit.corrected(Corrected(4.0, state), shown)
    assert (fit.mismatch is Mismatch.CORRECTED) is noticed


def test_text_and_what_is_typed_into_a_field_are_no_answers() -> None:
    for field, keys in ((True, "e"), (False, "tte"), (False, "i")):
        fit = Fit()
        for at, key in enumerate(keys):
            typed = {"e": Key.ENTER, "t": Key.TEXT, "i": Key.INTERRUPT}[key]
            fit.typed(Typed(at * 0.1, typed), State.SUCCESS, field=field)
        fit.shows(State.THINKING, 1.0)
        assert fit.mismatch is None
    late = Fit()
    late.typed(Typed(1.0, Key.ENTER), State.UNKNOWN, field=False)
    late.shows(State.THINKING, 9.0)
    assert late.mismatch is None


def test_a_judge_that_missed_a_dialog_goes_by_the_shapes_from_there_on() -> None:
    story = Story("claude")
    story.tell(said(Source.TITLE, Says.REST, 1.0), screen(1.0, *FIELD))
    story.tell(screen(3.0, *ASKS))
    assert story.until(6.0) is State.UNKNOWN
    assert story.judge.mismatch is None
    story.tell(Typed(7.0, Key.TEXT), said(Source.TITLE, Says.BUSY, 7.3), screen(7.4, *WORKS))
    assert story.judge.mismatch is Mismatch.ANSWERED
    assert story.judge.agent is not None and story.judge.agent.name == "claude"


def test_a_key_while_it_starts_is_no_answer() -> None:
    story = Story("claude")
    story.tell(said(Source.TITLE, Says.REST, 1.0), screen(1.0, "Loading"))
    story.until(3.0)
    story.tell(Typed(4.0, Key.ENTER), said(Source.TITLE, Says.BUSY, 4.3), screen(4.4, *WORKS))
    assert story.judge.mismatch is None


def test_the_user_says_so() -> None:
    story = Story("claude")
    story.tell(said(Source.TITLE, Says.REST, 1.0), screen(1.0, *FIELD))
    story.until(3.0)
    story.judge.feed(Corrected(4.0, State.ATTENTION))
    assert story.judge.mismatch is Mismatch.CORRECTED
