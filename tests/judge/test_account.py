"""The fixed form of a verdict, and the reason behind it."""

from __future__ import annotations

import json

import msgspec
import pytest

from nagomi_tui.judge.evidence import (
    DENIED,
    Ended,
    Evidence,
    Foreground,
    Key,
    Says,
    Source,
    Typed,
    View,
    Wait,
)
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.verdict import SENTENCES, Risk, State, shorten
from nagomi_tui.orchestrator.judging import session_judge
from tests.helpers.judge_story import BOOK


def view(at: float, *rows: str) -> View:
    return View(at=at, rows=rows, cursor_y=len(rows) - 1, cursor_x=len(rows[-1]), lines=rows)


def failed() -> Judge:
    judge = Judge("python3 a.py", BOOK, at=0.0)
    judge.feed(view(1.0, "start", "ModuleNotFoundError: No module named 'requests'", ""))
    judge.feed(Ended(2.0, 1))
    return judge


@pytest.mark.requirement("N-85")
def test_the_verdict_is_the_fixed_json() -> None:
    told = json.loads(msgspec.json.encode(session_judge.verdict(failed())))
    assert told == {
        "state": "failure",
        "confidence": 1.0,
        "summary": "ModuleNotFoundError: No module named 'requests'",
        "evidence": ["exit: exit 1", "ModuleNotFoundError: No module named 'requests'"],
        "next_actions": [
            {
                "title": "Install requests",
                "command": "python3 -m pip install requests",
                "risk": "mid",
            }
        ],
    }


@pytest.mark.requirement("N-78")
def test_without_a_pattern_that_fits_the_last_line_is_the_summary() -> None:
    judge = Judge("./check", BOOK, at=0.0)
    judge.feed(view(1.0, "looking", "3 of 9 boxes are open", "──────", ""))
    judge.feed(Ended(2.0, 1))
    assert session_judge.verdict(judge).state is State.FAILURE
    assert session_judge.verdict(judge).summary == "3 of 9 boxes are open"


@pytest.mark.requirement("N-78")
def test_where_nothing_was_printed_a_sentence_is_the_summary() -> None:
    for command in ("./check", "claude"):
        judge = Judge(command, BOOK, at=0.0)
        judge.feed(view(1.0, "? for shortcuts" if command == "claude" else ""))
        judge.feed(Ended(2.0, 1))
        assert session_judge.verdict(judge).summary == SENTENCES[State.FAILURE]


@pytest.mark.requirement("N-79")
def test_a_hook_words_the_end_that_the_agent_s_status_tells() -> None:
    judge = Judge("claude", BOOK, at=0.0)
    judge.feed(Evidence(source=Source.STATUS, says=Says.BUSY, at=1.0))
    judge.feed(Evidence(source=Source.HOOK, says=Says.SUCCEEDED, at=2.0, text="It is made."))
    judge.feed(Evidence(source=Source.STATUS, says=Says.SUCCEEDED, at=2.1))
    judge.tick(2.9)
    assert session_judge.verdict(judge).summary == "It is made."
    judge.feed(Evidence(source=Source.STATUS, says=Says.BUSY, at=9.0))
    judge.feed(Evidence(source=Source.STATUS, says=Says.SUCCEEDED, at=19.0))
    judge.tick(20.0)
    assert session_judge.verdict(judge).state is State.SUCCESS
    assert session_judge.verdict(judge).summary == SENTENCES[State.SUCCESS]


@pytest.mark.requirement("N-85")
def test_there_are_six_states_and_three_risks() -> None:
    assert {str(state) for state in State} == {
        "success", "failure", "attention", "running", "thinking", "unknown",
    }  # fmt: skip
    assert {str(risk) for risk in Risk} == {"low", "mid", "high"}
    assert set(SENTENCES) == set(State)


@pytest.mark.requirement("N-79")
def test_success_has_a_short_fixed_summary_in_the_users_words() -> None:
    judge = Judge("make", BOOK, at=0.0)
    judge.feed(Ended(2.0, 0))
    said = {"It is done.": "できました"}
    assert session_judge.verdict(judge, lambda text: said[text]).summary == "できました"


@pytest.mark.requirement("N-79")
def test_an_agents_mark_of_success_is_not_its_summary() -> None:
    judge = Judge("claude", BOOK, at=0.0)
    line = "─" * 60
    rows = ("❯ mend it", "● Mended, it is warm.", "✻ Crunched for 3s", "", line, "❯ ", line)
    judge.feed(Typed(2.0, Key.ENTER))
    judge.feed(View(at=3.0, rows=rows, cursor_y=5, cursor_x=2, lines=rows))
    judge.feed(View(at=5.0, rows=rows, cursor_y=5, cursor_x=2, lines=rows))
    told = session_judge.verdict(judge)
    assert told.state is State.SUCCESS
    assert told.summary == SENTENCES[State.SUCCESS]


@pytest.mark.requirement("N-85")
def test_three_lines_of_evidence_at_most() -> None:
    judge = Judge("make", BOOK, at=0.0)
    judge.feed(view(1.0, *(f"error: number {number}" for number in range(9)), ""))
    judge.feed(Ended(2.0, 1))
    assert len(session_judge.verdict(judge).evidence) == 3


def test_a_call_is_summed_up_by_its_question() -> None:
    judge = Judge("./deploy", BOOK, at=0.0)
    judge.feed(view(1.0, "14 files.", "Continue? [y/N] "))
    judge.feed(Foreground(at=1.2, command="deploy", leader=True, wait=Wait.READ))
    judge.tick(2.0)
    assert session_judge.verdict(judge).state is State.ATTENTION
    assert session_judge.verdict(judge).summary == "Continue? [y/N]"


def test_why_names_the_rule_and_the_evidence_with_its_age() -> None:
    judge = Judge("claude", BOOK, at=0.0)
    judge.feed(
        Evidence(source=Source.HOOK, says=Says.WAITS, at=1.0, rule="PermissionRequest", text="Bash: make")
    )  # fmt: skip
    judge.tick(4.0)
    reason = judge.why()
    assert (reason.state, reason.rule, reason.confirmed) == (State.ATTENTION, "hook-asks", True)
    assert [(told.source, told.rule, told.age, told.text) for told in reason.grounds] == [
        (Source.HOOK, "PermissionRequest", 3.0, "Bash: make")
    ]


@pytest.mark.requirement("F-9")
def test_a_denial_of_the_guard_is_a_verdict_with_its_reason() -> None:
    judge = Judge("claude", BOOK, at=0.0)
    text = "Write: /w/x · [DAIC: Tool Blocked] You're in discussion mode."
    judge.feed(Evidence(source=Source.HOOK, says=Says.WAITS, at=1.0, rule=DENIED, text=text))
    judge.tick(4.0)
    assert (judge.why().state, judge.why().rule) == (State.ATTENTION, "guard-denied")
    assert session_judge.verdict(judge).summary == text and judge.why().grounds[0].text == text


@pytest.mark.parametrize(("size", "length"), [(119, 119), (120, 120), (121, 120), (500, 120)])
@pytest.mark.requirement("N-51")
def test_summaries_are_cut_at_120_characters(size: int, length: int) -> None:
    assert len(shorten("あ" * size)) == length


@pytest.mark.parametrize("says", [Says.FAILED, None])
def test_an_agent_that_goes_on_by_itself_after_a_limit_is_told_as_parked(says: Says | None) -> None:
    judge = Judge("claude", BOOK, at=0.0)
    line = "─" * 60
    rows = (
        "❯ make it", "  ⎿  You've hit your 5-hour limit · resets 7am (UTC)", "",
        "● Usage limit reached · set to continue automatically at 7am", line, "❯ ", line,
        "  ⚠ Usage limit reached · limit resets 7am",
        "    Continuing automatically at 7am · Esc to cancel",
    )  # fmt: skip
    judge.feed(Typed(2.0, Key.ENTER))
    if says is not None:
        judge.feed(Evidence(source=Source.HOOK, says=says, at=2.5, text="You've hit a limit"))
    for at in (3.0, 5.0):
        judge.feed(View(at=at, rows=rows, cursor_y=5, cursor_x=2, lines=rows))
    told = session_judge.verdict(judge)
    assert (told.state, told.summary) == (State.FAILURE, "parked until 7am")


@pytest.mark.requirement("F-11")
@pytest.mark.parametrize(
    ("command", "leader", "hears"), [("claude", True, True), ("bash", False, False)]
)
def test_a_program_that_tells_how_its_own_turns_ended_marks_their_beginnings_too(
    command: str, leader: bool, hears: bool
) -> None:
    judge = Judge(command, BOOK, at=0.0)
    seen = Foreground(at=1.0, command="claude", leader=leader, wait=Wait.KEYS, others=("claude",))
    judge.feed(seen)
    for at, says, rule in (
        (2.0, Says.RUNNING, "mark-C"), (3.0, Says.SUCCEEDED, "mark-D"), (5.0, Says.RUNNING, "mark-C"),
    ):  # fmt: skip
        judge.feed(Evidence(source=Source.SHELL, says=says, at=at, rule=rule))
        if at == 2.0:
            assert judge.known.says(Source.SHELL) is None, "an agent's own, as far as is known"
        judge.feed(msgspec.structs.replace(seen, at=at + 0.5))
    assert (judge.known.says(Source.SHELL) is Says.RUNNING) == hears


STATUSES = {
    "a status alone": ("$ ./check", 42, "", "exit 42"),
    "a signal": ("$ ./check", 137, "", "exit 137, SIGKILL"),
    "a limit": ("$ timeout -k 1 5 make", 124, "", "timeout -k 1 5 (exit 124)"),
    "a limit of a part": ("$ bash -c 'timeout 5 make'", 124, "compiling", "timeout 5 (exit 124)"),
    "a limit that was not reached": ("$ timeout 5 make", 2, "", "exit 2"),
    "words": ("$ ./check", 2, "error: no such target", "error: no such target"),
}


@pytest.mark.requirement("N-78")
def test_what_says_nothing_is_told_by_its_status() -> None:
    for name, (command, status, line, summary) in STATUSES.items():
        judge = Judge("bash", BOOK, at=0.0)
        judge.feed(Evidence(source=Source.SHELL, says=Says.RUNNING, at=1.0, rule="mark-C"))
        rows = (*([line] if line else ()), "$ ")
        shown = View(at=2.0, rows=rows, cursor_y=len(rows) - 1, cursor_x=2, lines=rows)
        judge.feed(msgspec.structs.replace(shown, command=command))
        told = Evidence(source=Source.SHELL, says=Says.FAILED, at=2.1, text=f"D;{status}")
        judge.feed(told)
        judge.tick(4.0)
        assert session_judge.verdict(judge).summary == summary, name


@pytest.mark.requirement("N-78")
def test_a_command_whose_limit_was_reached_is_told_by_that_limit() -> None:
    judge = Judge("timeout 2 sleep 60", BOOK, at=0.0)
    judge.feed(Ended(2.0, 124))
    assert session_judge.verdict(judge).summary == "timeout 2 (exit 124)"


@pytest.mark.requirement("N-78")
def test_an_agent_that_reports_a_failure_without_words_is_told_by_its_screen() -> None:
    judge = Judge("codex", BOOK, at=0.0)
    judge.feed(Typed(1.0, Key.ENTER))
    rows = ("› hello", "■ unexpected status 401 Unauthorized", "", "› Ask Codex to do anything", "")
    judge.feed(Evidence(source=Source.STATUS, says=Says.BUSY, at=1.1, begins=True))
    judge.feed(msgspec.structs.replace(view(2.0, *rows), cursor_y=3, cursor_x=2))
    judge.feed(Evidence(source=Source.STATUS, says=Says.FAILED, at=2.1, text="state=error"))
    judge.tick(3.0)
    assert judge.shown.state is State.FAILURE
    assert "unexpected status 401" in session_judge.verdict(judge).summary


@pytest.mark.requirement("N-78")
def test_a_failure_right_after_another_one_is_told_with_its_own_words() -> None:
    judge = Judge("claude", BOOK, at=0.0)
    ended = []
    field = ("────────────────────", "❯ ", "────────────────────", "  ? for shortcuts")
    for at, (asked, told) in enumerate((("hello", "API Error: 401"), ("again", "API Error: 403"))):
        judge.feed(Typed(at * 9.0 + 1, Key.ENTER))
        rows = (f"❯ {asked}", f"● {told} refused", "", *field)
        shown = msgspec.structs.replace(view(at * 9.0 + 1.1, *rows), cursor_y=4, cursor_x=2)
        assert judge.feed(shown) is None, "it may be drawn in part"
        ticks = (judge.tick(at * 9.0 + 1.2 + step / 10) for step in range(40))
        ended += [change for change in ticks if change is not None and change.completed]
        assert told in session_judge.verdict(judge).summary
        assert len(ended) == at + 1, "each is told once"
