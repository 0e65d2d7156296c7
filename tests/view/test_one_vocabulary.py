"""Every state has one word, wherever it is told: badge, face, why, ls, JSON, bar and notices."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

from nagomi_tui.alerts.calls import kind_of
from nagomi_tui.api import printing
from nagomi_tui.api.messages import Standing, whole
from nagomi_tui.commands.answer import STATES
from nagomi_tui.judge import loading
from nagomi_tui.judge.evidence import Corrected
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.verdict import SENTENCES, Verdict, fixed, translated_summary
from nagomi_tui.judge.verdict import State as Judged
from nagomi_tui.orchestrator.calling import notifying
from nagomi_tui.orchestrator.judging.outcomes import Outcomes
from nagomi_tui.sessions.order import digest
from nagomi_tui.sessions.session import NEEDS, PHASES, Condition, Session, State
from nagomi_tui.sessions.standing import ending as ending_of
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import LANGUAGES, of
from nagomi_tui.view.app.messages import digest_line
from nagomi_tui.view.character.faces import Faces
from nagomi_tui.view.common.badge import ending, happened
from nagomi_tui.view.screens.bars import waiting_words
from tests.helpers.fake_orchestrator import session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.alerts.calls import Call
    from nagomi_tui.orchestrator.sessions.session import FinishedTurn

_ENDED: Final = {"state": State.EXITED, "ended_at": 20.0}
STANDING: Final[Mapping[Condition, Mapping[str, Any]]] = {
    **{phase: {"phase": phase} for phase in PHASES},
    Condition.STARTING: {"state": State.STARTING},
    Condition.ENDED_WELL: {**_ENDED, "phase": Condition.SUCCESS, "exit_code": 0},
    Condition.ENDED_EARLY: {**_ENDED, "phase": Condition.ERROR, "exit_code": 2},
    Condition.STOPPED: {**_ENDED, "phase": Condition.IDLE, "exit_code": 143, "signal": 15},
    Condition.LOST: {"state": State.LOST, "phase": Condition.ERROR, "ended_at": 20.0},
    Condition.SAVED: {"state": State.SAVED},
    Condition.AWAY: {"away_since": 10.0},
}
EACH: Final = pytest.mark.parametrize("one", Condition)
SURE: Final = Verdict(state=Judged.UNKNOWN, confidence=1.0, summary="")


def standing(one: Condition, **more: Any) -> Session:
    """A session that stands so."""
    return session(1, "api", **{"phase_since": 10.0, **STANDING[one], **more})


@EACH
def test_a_state_has_one_word_in_each_place(one: Condition) -> None:
    here, word = standing(one), one.word
    assert here.condition is one
    assert here.condition.word == word
    listed = printing.table([whole(here)], of("en"), width=0, home="/")
    assert re.split(r"  +| \(", listed.strip())[2] == word
    told = json.loads(msgspec.json.encode(whole(here)))
    assert told["condition"] == one
    reason = Standing(
        verdict=SURE, phase=here.phase, since=0.0, age_s=1.0, rule="", meaning=(),
        evidence_detail=(), turn=1, session="1", name="api", condition=one,
    )  # fmt: skip
    assert printing.account(reason, of("en")).startswith(f"api: {word}, ")


@EACH
def test_a_state_has_one_word_in_the_digest(one: Condition) -> None:
    here = standing(one)
    ended = here.state in (State.EXITED, State.LOST)
    told = digest([here], since=5.0)
    assert bool(told) is (ended or one is Condition.ATTENTION)
    if told:
        assert digest_line(told) == f"While you were away: api: {one.word}"


CALLS: Final[Mapping[Condition, Judged]] = {
    Condition.ATTENTION: Judged.ATTENTION,
    Condition.ERROR: Judged.FAILURE,
    Condition.SUCCESS: Judged.SUCCESS,
    Condition.ENDED_EARLY: Judged.FAILURE,
    Condition.ENDED_WELL: Judged.SUCCESS,
}
"""Those that call, and what the judge has found then; an end that the user asked for does not."""
PRESCRIBED: Final = {(Condition.SUCCESS, "ja"): "完了しました"}
"""N-79 prescribes the summary of a turn that went well; the badge says the same in other words."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("one", CALLS)
def test_a_notice_and_a_voice_tell_a_state_by_its_word(one: Condition, language: str) -> None:
    """Where the program has said nothing that could be told in its place."""
    here, words = standing(one), of(language)
    called = call_of(here, CALLS[one])
    quiet: Any = SimpleNamespace(settings=Settings, hushed=lambda: False)
    told = notifying.Notifying._called(quiet, (called,), language)
    word = words.gettext(one.word)
    assert PRESCRIBED.get((one, language), word) in told.body
    assert word in notifying.spoken(called, language)
    others = {words.gettext(other.word) for other in CALLS if other is not one}
    assert not {other for other in others if other in told.body and other not in word}
    both = notifying.Notifying._called(quiet, (called, called), language)
    assert both.body == f"api: {told.body} · api: {told.body}"
    if here.state is State.EXITED:
        assert told.body == ending_of(here, words.say)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("one", [*CALLS, Condition.RUNNING, Condition.THINKING, Condition.STOPPED])
def test_a_fixed_sentence_tells_a_state_by_its_word(one: Condition, language: str) -> None:
    """So do `nagomi why`, the judge's pane and the character where nothing was said."""
    found = CALLS.get(one) or Judged.of(standing(one).phase)
    here, words = standing(one, summary=SENTENCES[found]), of(language)
    word = PRESCRIBED.get((one, language), words.gettext(one.word))
    assert word in fixed(found, here, words.say)
    assert happened(here) == fixed(found, here, of("en").say)


def call_of(here: Session, found: Judged) -> Call:
    """Return the call of a session in which the judge has found this, without a word printed."""
    judge = Judge("make", loading.load(Path("/nonexistent")).book, at=0.0)
    judge.feed(Corrected(1.0, found))
    heard: list[FinishedTurn] = []
    others: Any = None
    outcomes = Outcomes(
        {}, Settings, phases=others, audience=others, traces=others,
        alarms=AtOnce(), listeners=[heard.append],  # type: ignore[arg-type]
    )  # fmt: skip
    run = SimpleNamespace(stopped=False)
    judged = SimpleNamespace(judge=judge, changed_at=20.0, was_interrupted=False)
    runtime = SimpleNamespace(info=here, session_id=here.session_id, run=run)
    outcomes.turn_over(runtime, judged, 1)  # type: ignore[arg-type]
    kind = kind_of(found)
    assert kind is not None
    return notifying.call(heard[0], kind)


class AtOnce:
    """Alarms that limit nothing."""

    def limit(self, key: object, call: Callable[[], None], **_: object) -> None:
        """Call now."""
        call()


@EACH
@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.requirement("N-46")
def test_a_face_is_that_of_the_state_and_none_sleeps_beside_one_that_waits(
    one: Condition, waits: bool
) -> None:
    faces = Faces()
    faces.hear(standing(one, waits=waits), now=0.0)
    assert faces.phase(standing(one).session_id) is one.face
    faces.settle(100.0)
    passes = one.face in (Condition.SUCCESS, Condition.ERROR) and not waits
    assert faces.phase(standing(one).session_id) is (Condition.IDLE if passes else one.face)
    assert faces.next_change() is None


@EACH
def test_the_bar_tells_who_needs_its_user_from_who_is_done(one: Condition) -> None:
    said = waiting_words([standing(one, waits=True)])
    assert said == ("◆ 1 waits for you" if one in NEEDS else "✓ 1 done")


@EACH
def test_a_state_has_a_word_of_its_own_in_japanese_and_ended_ones_a_sentence(
    one: Condition,
) -> None:
    words = {of("ja").gettext(each.word) for each in Condition}
    assert of("ja").gettext(one.word) != one.word
    assert len(words) == len({each.word for each in Condition})
    ended = standing(one).state in (State.EXITED, State.LOST, State.SAVED)
    assert bool(ending(standing(one))) is (ended or one is Condition.AWAY)


def test_a_fixed_summary_of_the_judge_is_not_told_beside_the_state_that_it_repeats() -> None:
    kept = SENTENCES[Judged.ATTENTION]
    calls = whole(standing(Condition.ATTENTION, waits=True, summary=kept))
    assert printing.table([calls], of("ja"), width=0, home="/").endswith(f"{calls.cmd}\n")
    assert printing.in_need(calls, of("en")) == "1  api  waits for you\n"


def test_each_reader_has_a_fixed_summary_in_their_own_language() -> None:
    """It is kept in English, since two front ends may speak two languages."""
    words, kept = of("ja"), SENTENCES[Judged.ATTENTION]
    assert translated_summary(kept, words.gettext) == words.gettext(kept) != kept


def test_words_of_a_program_are_not_taken_for_ours() -> None:
    assert of("ja").gettext("done") != "done"
    assert translated_summary("done", of("ja").gettext) == "done"


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ({"exit_code": 139, "signal": 11, "phase": Condition.ERROR}, Condition.ENDED_EARLY),
        ({"exit_code": 130, "phase": Condition.IDLE}, Condition.STOPPED),
        ({"exit_code": 1, "phase": Condition.IDLE}, Condition.STOPPED),
        ({"exit_code": 1, "phase": Condition.SUCCESS}, Condition.ENDED_WELL),
        ({"exit_code": 0, "phase": Condition.ERROR}, Condition.ENDED_EARLY),
        ({"exit_code": 0, "phase": Condition.ATTENTION}, Condition.ATTENTION),
    ],
    ids=["crash", "ctrl-c", "broken off", "corrected to done", "corrected to failed", "asked"],
)
def test_an_end_is_told_by_its_phase(facts: dict[str, Any], shown: Condition) -> None:
    """The phase heeds who has ended the command, and what its user has corrected."""
    assert session(1, "api", state=State.EXITED, **facts).condition is shown


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (2, "2"),
        (139, "139, SIGSEGV"),
        (137, "137, SIGKILL"),
        (128, "128"),
        (129, "129"),
        (255, "255"),
    ],
)
def test_a_code_that_a_shell_made_of_a_signal_names_it(code: int, told: str) -> None:
    crashed = standing(Condition.ENDED_EARLY, exit_code=code)
    assert ending(crashed) == f"It failed ({told})."
    assert f"  failed ({told})  " in printing.table([whole(crashed)], of("en"), width=0, home="/")


def test_only_a_terminal_is_told_that_there_is_no_session() -> None:
    told = [printing.table([], of("en"), width=width, home="/") for width in (80, 0)]
    assert told == ["No session.\n", ""]


def test_a_crash_names_its_signal() -> None:
    crashed = standing(Condition.ENDED_EARLY, exit_code=139, signal=11)
    assert ending(crashed) == "It failed (SIGSEGV)."
    assert "  failed (SIGSEGV)  " in printing.table([whole(crashed)], of("en"), width=0, home="/")
    unknown = standing(Condition.ENDED_EARLY, exit_code=201, signal=73)
    assert ending(unknown) == "It failed (signal 73)."


def test_a_state_is_corrected_by_the_words_of_badges_and_of_json() -> None:
    badges = {state.condition.word.removesuffix(" for you"): state.value for state in Judged}
    assert badges | {state.value: state.value for state in Judged} == STATES
