"""The judge's pane: what it says, whose the keys are, and what they do."""

from __future__ import annotations

import time
from typing import Any

import pytest

from nagomi_tui.api.messages import (
    Act,
    Advice,
    Answer,
    AskJudge,
    Correct,
    Proposed,
    SettingsChanged,
    View,
)
from nagomi_tui.judge.verdict import NextAction, Risk, State, Verdict
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.cells import cells
from nagomi_tui.view.common.translate import use_language
from nagomi_tui.view.dialogs import dialog
from nagomi_tui.view.dialogs.dialog import Ask
from nagomi_tui.view.screens.judge_rows import JudgeReport, lines_of
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

ASKING = session(
    1, "agent", phase=Condition.ATTENTION, waits=True, phase_since=time.time() - 12, turn=3
)
FAILED = session(2, "tests", phase=Condition.ERROR, phase_since=time.time() - 70)

QUESTION: dict[str, Any] = {
    "question_id": "abc",
    "text": "Do you want to proceed?",
    "details": ["Bash command", "touch made.txt"],
    "choices": [{"key": "1", "label": "Yes"}, {"key": "2", "label": "No"}],
    "rule": "claude:menu",
}
ASKS: dict[str, Any] = {
    "verdict": {"state": "attention", "confidence": 0.97, "summary": "Do you want to proceed?"},
    "rule": "hook-asks",
    "meaning": ["A hook asks."],
    "evidence_detail": [
        {
            "source": "hook",
            "age_s": 0.4,
            "rule": "PermissionRequest",
            "text": "Bash",
            "says": "asks",
        }
    ],
    "question": QUESTION,
    "draft": "",
}
STUMBLED: dict[str, Any] = {
    "verdict": {
        "state": "failure", "confidence": 0.75, "summary": "No module named 'rich'",
        "evidence": ["ModuleNotFoundError: No module named 'rich'"],
        "next_actions": [
            {"title": "Install rich", "command": "python3 -m pip install rich", "risk": "mid"},
            {"title": "Clear\u202e it", "command": "rm -rf \x1b[31mbuild", "risk": "high"},
        ],
    },
    "rule": "text-says-failed",
    "question": None,
    "draft": "",
}  # fmt: skip


def server() -> FakeOrchestrator:
    made = FakeOrchestrator(ASKING, FAILED)
    made.asked = {ASKING.session_id: ASKS, FAILED.session_id: STUMBLED}
    return made


async def test_it_says_how_a_session_stands_why_and_what_it_asks() -> None:
    with server() as orchestrator:
        async with visit(orchestrator, (140, 40)) as here:
            await here.leader("y")
            await here.sees("◆ waits for you", "sure, 97 %", "touch made.txt")
            await here.sees("Do you want to proceed?", " 1  Yes", " 2  No")
            await here.sees("A hook asks.", "rule hook-asks", "hook", "0.4 s ago", "correct this")


@pytest.mark.parametrize("pressed", ["N", "n"])
async def test_a_capital_choice_takes_the_small_letter_and_the_panes_own_keys_do_not(
    pressed: str,
) -> None:
    with server() as orchestrator:
        choices = [{"key": "Y", "label": "Yes"}, {"key": "N", "label": "No"}]
        question = {**QUESTION, "choices": choices}
        orchestrator.asked[ASKING.session_id] = {**ASKS, "question": question}
        async with visit(orchestrator, (140, 40)) as here:
            await here.leader("y")
            await here.sees(" N  No")
            await here.press("v", pressed)
            orchestrator.wait(lambda: orchestrator.told(Answer))
            assert orchestrator.told(Answer)[0].choice == "N"
            assert "How does it really stand" not in here.text()


async def test_a_long_piece_of_evidence_has_the_pane_s_width_and_leaves_the_keys_in_sight() -> None:
    with server() as orchestrator:
        told = {**ASKS["evidence_detail"][0], "text": "a long answer " * 400}
        orchestrator.asked[ASKING.session_id] = {**ASKS, "evidence_detail": [told]}
        async with visit(orchestrator, (140, 40)) as here:
            await here.leader("y")
            await here.sees(
                "a long answer a long answer a long answer", "…", "correct this", "close"
            )


async def test_a_question_without_keys_is_answered_where_it_is_asked() -> None:
    with server() as orchestrator:
        question = {**QUESTION, "choices": []}
        orchestrator.asked[ASKING.session_id] = {**ASKS, "question": question}
        async with visit(orchestrator, (140, 40)) as here:
            await here.leader("y")
            await here.sees("Do you want to proceed?", "answered on its own screen")


async def test_a_choice_sends_its_key_for_this_very_question() -> None:
    with server() as orchestrator:
        async with visit(orchestrator) as here:
            await here.leader("y")
            await here.sees(" 2  No")
            await here.press("9", "x", "enter")
            await here.press("2")
            orchestrator.wait(lambda: orchestrator.told(Answer))
            (sent,) = orchestrator.told(Answer)
            assert (sent.session, sent.choice, sent.question) == (
                ASKING.session_id, "2", "abc",
            )  # fmt: skip


async def test_its_keys_are_its_own_only_while_the_user_is_in_it() -> None:
    with server() as orchestrator:
        async with visit(orchestrator) as here:
            keyboard = here.app.parts.keyboard
            await here.until(lambda: keyboard.target == ASKING.session_id)
            await here.leader("y")
            await here.until(lambda: keyboard.target is None)
            assert here.app.focused is here.app.parts.main.judge_pane
            await here.press("escape")
            await here.until(lambda: keyboard.target == ASKING.session_id)
            await here.misses("Do you want to proceed?")
            assert not orchestrator.told(Answer)


async def test_arrows_mark_a_line_and_enter_does_it() -> None:
    with server() as orchestrator:
        async with visit(orchestrator) as here:
            await here.leader("y")
            await here.sees(" 2  No")
            await here.press("down", "down", "enter")
            orchestrator.wait(lambda: orchestrator.told(Answer))
            assert orchestrator.told(Answer)[0].choice == "2"


async def test_next_steps_are_shown_verbatim_with_their_risk_and_run_by_a_key() -> None:
    with server() as orchestrator:
        async with visit(orchestrator, (60, 40)) as here:
            await here.leader("2", "y")
            await here.sees("Install rich", "python3 -m pip install rich", "▄ some risk")
            await here.sees("█ high risk")
            assert "\x1b" not in here.text() and "\u202e" not in here.text()
            await here.press("A")
            orchestrator.wait(lambda: orchestrator.told(Act))
            (sent,) = orchestrator.told(Act)
            assert (sent.command, sent.sure) == ("python3 -m pip install rich", False)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_neither_a_risk_nor_how_sure_it_is_breaks_over_two_lines(language: str) -> None:
    parts = {
        "en": ("low risk", "some risk", "high risk", "sure, 97 %"),
        "ja": ("影響 小", "影響 中", "影響 大", "確か 97 %"),
    }[language]
    use_language(language)
    try:
        for width in range(24, 70):
            for risk, part in zip(Risk, parts, strict=False):
                action = NextAction("look at it " * (width % 5 + 1), f"ls {risk}", risk)
                verdict = Verdict(State.FAILURE, 0.97, "It failed.", next_actions=(action,))
                report = JudgeReport(verdict=verdict)
                lines = lines_of(FAILED, report, width=width, now=time.time(), correcting=False)
                rows = [row for line in lines for row in line.content.plain.split("\n")]
                assert all(cells(row) <= width for row in rows), rows
                assert all(any(one in row for row in rows) for one in (part, parts[-1])), rows
    finally:
        use_language("en")


@pytest.mark.parametrize(("answer", "settle"), [("y", 0.0), ("n", 0.0), ("y", 1000.0)])
async def test_a_high_risk_is_asked_for_once_more(
    answer: str, settle: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question comes up by itself, and takes no yes that was typed before it could be read."""
    monkeypatch.setattr(dialog, "SETTLE_SECONDS", settle)
    with server() as orchestrator:
        orchestrator.refusals[Act] = "The risk is high."
        orchestrator.codes[Act] = "risky"
        async with visit(orchestrator) as here:
            await here.leader("2", "y")
            await here.sees("█ high risk")
            await here.press("B")
            await here.until(lambda: isinstance(here.app.screen, Ask))
            await here.sees("The risk is high", "rm -rf")
            del orchestrator.refusals[Act]
            await here.press(answer, *(["n"] if settle else []))
            await here.until(lambda: not isinstance(here.app.screen, Ask))
            if answer == "y" and not settle:
                orchestrator.wait(lambda: len(orchestrator.told(Act)) == 2)
            assert [sent.sure for sent in orchestrator.told(Act)] == (
                [False, True] if answer == "y" and not settle else [False]
            )


async def test_a_verdict_can_be_corrected() -> None:
    with server() as orchestrator:
        async with visit(orchestrator) as here:
            await here.leader("2", "y")
            await here.sees("correct this")
            await here.press("V")
            await here.sees("How does it stand?", " 1  ✓ done")
            await here.press("1")
            orchestrator.wait(lambda: orchestrator.told(Correct))
            assert orchestrator.told(Correct)[0].state is State.SUCCESS


async def test_the_mouse_answers_too() -> None:
    with server() as orchestrator:
        async with visit(orchestrator, (140, 40)) as here:
            await here.leader("y")
            await here.sees(" 2  No")
            row = next(y for y, line in enumerate(here.lines()) if " 2  No" in line)
            column = here.lines()[row].index(" 2  No") + 2
            await here.pilot.click(offset=(column, row))
            orchestrator.wait(lambda: orchestrator.told(Answer))


HUNK: dict[str, Any] = {
    "question_id": "abc",
    "text": "(1/2) Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]?",
    "choices": [{"key": key, "label": key} for key in "ynqadjJg/e?"] + [{"key": "enter"}],
    "by_line": True,
    "rule": "generic:choices",
}


@pytest.mark.parametrize("way", ["key", "mouse"])
async def test_many_choices_without_words_share_a_line(way: str) -> None:
    with server() as orchestrator:
        orchestrator.asked[ASKING.session_id] = ASKS | {"question": HUNK}
        async with visit(orchestrator, (80, 24)) as here:
            await here.leader("y")
            await here.sees(" y   n   q   a   d   j   J   g   /   e   ? ", " Enter  enter what")
            if way == "key":
                await here.press("J")
            else:
                row = next(y for y, line in enumerate(here.lines()) if " J   g " in line)
                column = here.lines()[row].index(" J   g ") + 1
                await here.pilot.click(offset=(column, row))
            orchestrator.wait(lambda: orchestrator.told(Answer))
            assert orchestrator.told(Answer)[0].choice == "J"


async def test_the_key_goes_to_whoever_has_waited_longest() -> None:
    now = time.time()
    late = session(1, "late", phase=Condition.ATTENTION, waits=True, phase_since=now - 5)
    calm = session(2, "calm")
    done = session(3, "done", phase=Condition.SUCCESS, waits=True, phase_since=now - 900)
    early = session(4, "early", phase=Condition.ATTENTION, waits=True, phase_since=now - 60)
    with FakeOrchestrator(calm, late, done, early) as orchestrator:
        async with visit(orchestrator) as here:
            await here.leader("2")
            order = []
            for _ in range(3):
                await here.leader("tab")
                order.append(here.app.parts.state.current)
            assert [entry.name for entry in order if entry] == ["early", "late", "done"]


async def test_the_model_is_asked_by_a_key_and_says_so_apart() -> None:
    said = Advice(
        session=FAILED.session_id, turn=0, at=0.0,
        verdict=Verdict(
            State.FAILURE, 0.8, "A package is missing.",
            next_actions=(NextAction("See them", "python3 -m pip list", Risk.LOW),),
        ),
    )  # fmt: skip

    with server() as orchestrator:
        orchestrator.settings["llm_judge"] = True
        async with visit(orchestrator, (120, 46)) as here:
            await here.leader("2", "y")
            await here.sees("correct this")
            assert "ask the model" not in here.text()  # nothing is sent without consent
            await here.press("L")
            orchestrator.settings["llm_consent"] = True
            orchestrator.push(SettingsChanged(settings=orchestrator.settings))
            await here.sees("ask the model")
            assert not orchestrator.told(AskJudge)
            await here.press("pageup", "L")  # at once the same key again would be a held one
            orchestrator.wait(lambda: orchestrator.told(AskJudge))
            orchestrator.push(said)
            await here.sees("What the model says", "A package is missing.", "See them")
            await here.press("C")
            orchestrator.wait(lambda: orchestrator.told(Act))
            assert orchestrator.told(Act)[0].command == "python3 -m pip list"


@pytest.mark.requirement("N-80")
async def test_what_the_model_said_of_the_turn_is_there_after_attaching() -> None:
    step = NextAction("See them", "python3 -m pip list", Risk.LOW)
    advice = Verdict(State.FAILURE, 0.8, "A package is missing.", next_actions=(step,))

    with server() as orchestrator:
        asked = orchestrator.asked[FAILED.session_id]
        orchestrator.asked[FAILED.session_id] = {**asked, "advice": advice}
        async with visit(orchestrator, (120, 46)) as here:
            await here.leader("2", "y")
            await here.sees("What the model says", "A package is missing.", "See them")


async def test_what_the_agent_proposes_is_marked_and_run_by_its_key_alone() -> None:
    step = NextAction("build anew", "rm -rf build", Risk.HIGH)

    with server() as orchestrator:
        async with visit(orchestrator, (120, 46)) as here:
            await here.leader("2", "y")
            orchestrator.push(Proposed(session=FAILED.session_id, turn=99, steps=(step,)))
            orchestrator.push(Proposed(session="other", turn=0, steps=(step,)))
            await here.sees("correct this")
            assert "build anew" not in here.text()
            turn = FAILED.turn
            orchestrator.push(Proposed(session=FAILED.session_id, turn=turn, steps=(step,)))
            await here.sees("agent: build anew", "high risk", "$ rm -rf build")
            assert orchestrator.told(Act) == []
            await here.press("C")
            orchestrator.wait(lambda: orchestrator.told(Act))
            assert orchestrator.told(Act)[0].command == "rm -rf build"
            assert not orchestrator.told(Act)[0].sure


async def test_a_click_on_the_session_gives_the_keys_back() -> None:
    with server() as orchestrator:
        async with visit(orchestrator, (140, 40)) as here:
            await here.leader("y")
            await here.until(lambda: here.app.parts.keyboard.target is None)
            await here.pilot.click(offset=(5, 5))
            await here.until(lambda: here.app.parts.keyboard.target == ASKING.session_id)
            await here.sees("Do you want to proceed?", "keys are with the session")


@pytest.mark.parametrize("keys", [("z",), ("v",), ()])
async def test_on_a_small_screen_it_lies_over_the_view_and_resizes_no_session(
    keys: tuple[str, ...],
) -> None:
    with server() as orchestrator:
        async with visit(orchestrator, (80, 24)) as here:
            await here.leader(*keys)
            await here.rests(orchestrator)
            sizes = {(view.cols, view.rows) for view in orchestrator.told(View)}
            await here.leader("y")
            await here.sees("Do you want to proceed?", " 1  Yes", " 2  No", " W  Why  A hook asks.")
            assert "rule hook-asks" not in here.text()
            await here.press("W")
            await here.sees("A hook asks.", "rule hook-asks")
            assert {(view.cols, view.rows) for view in orchestrator.told(View)} == sizes
