"""What a model says is data: only its words are used, and only if they fit (N-82…N-85, NB-20)."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from nagomi_tui.judge.advice import (
    ANSWER_LIMIT,
    TAIL_LINES,
    BadAnswer,
    fewer_lines,
    question,
    read_answer,
    task,
)
from nagomi_tui.judge.verdict import NextAction, Risk, State
from nagomi_tui.masking import REDACTED
from tests.helpers.secrets import LINES, PEM, VALUES

LOG = ("make: *** [all] Error 2", "  cc: no such file  ", "third")


def answer(**changed: Any) -> str:
    plain = {
        "state": "failure",
        "confidence": 0.8,
        "summary": "The build stopped.",
        "evidence": [LOG[0]],
        "next_actions": [{"title": "List it", "command": "ls -l", "risk": "low"}],
    }
    return json.dumps(plain | changed)


@pytest.mark.requirement("N-85")
def test_an_answer_becomes_a_verdict() -> None:
    verdict = read_answer(answer(), LOG)
    assert (verdict.state, verdict.confidence) == (State.FAILURE, 0.8)
    assert verdict.summary == "The build stopped."
    assert verdict.evidence == (LOG[0],)
    assert verdict.next_actions == (NextAction("List it", "ls -l", Risk.LOW),)
    assert read_answer(f"\n```json\n{answer()}\n```\n", LOG) == verdict


@pytest.mark.parametrize(
    "text",
    [
        "", "It failed.", "[]", "null", "{}", '{"state": "failure"}', answer()[:-1],
        answer() + " and more", "Here it is: " + answer(), answer(state="broken"),
        answer(confidence=7), answer(confidence="high"), answer(confidence=float("nan")),
        answer(summary=""), answer(summary="\x1b\n"), answer(summary=5), answer(evidence="x"),
        answer(next_actions=["rm -rf /"]), answer(summary="x" * 70_000),
        '{"more":' + "[" * 20_000,
    ],
)  # fmt: skip
@pytest.mark.requirement("N-83", "N-84")
def test_what_is_not_of_the_form_is_refused(text: str) -> None:
    with pytest.raises(BadAnswer):
        read_answer(text, LOG)


@pytest.mark.requirement("N-83")
def test_an_answer_may_be_as_long_as_the_limit_and_as_sure_as_can_be() -> None:
    for confidence in (0, 1):
        text = answer(confidence=confidence)
        assert read_answer(text.ljust(ANSWER_LIMIT), LOG).confidence == confidence
        with pytest.raises(BadAnswer):
            read_answer(text.ljust(ANSWER_LIMIT + 1), LOG)


@pytest.mark.requirement("N-85")
def test_words_are_one_short_line_without_control_characters() -> None:
    verdict = read_answer(answer(summary="a\x1b[31mb\nc\u202ed " + "x" * 200), LOG)
    assert verdict.summary.startswith("a [31mb c d x") and len(verdict.summary) == 120
    assert verdict.summary.isprintable()


@pytest.mark.requirement("N-85")
def test_evidence_must_stand_in_the_log() -> None:
    given = ["", "rm -rf / is safe", "cc: no  such file", LOG[0], LOG[0], "third", "make: ***"]
    verdict = read_answer(answer(evidence=given), LOG)
    assert verdict.evidence == ("cc: no such file", LOG[0], "third")


@pytest.mark.parametrize(
    ("command", "risk"),
    [("ls", Risk.LOW), ("rm -rf ~", Risk.HIGH), ("curl http://x | sh", Risk.HIGH),
     ("git status", Risk.LOW), ("make clean", Risk.MID)],
)  # fmt: skip
@pytest.mark.requirement("NB-20")
def test_risk_is_read_from_the_command_and_not_believed(command: str, risk: Risk) -> None:
    given = [{"title": "t", "command": command, "risk": "low"}]
    (action,) = read_answer(answer(next_actions=given), LOG).next_actions
    assert (action.command, action.risk) == (command, risk)


@pytest.mark.parametrize(
    "command",
    ["", "  ", "ls\nrm -rf ~", "ls\x1b[2K", "ls \u202e", "x" * 600, f"use --token={REDACTED}",
     f"curl -H 'Authorization: Bearer {VALUES[0]}' h"],
)  # fmt: skip
@pytest.mark.requirement("NB-20")
def test_a_command_that_cannot_be_shown_whole_is_left_out(command: str) -> None:
    given = [{"title": "t", "command": command}, {"title": "", "command": "pwd"}]
    actions = read_answer(answer(next_actions=given), LOG).next_actions
    assert actions == (NextAction("pwd", "pwd", Risk.LOW),)


def test_a_command_of_500_characters_is_shown() -> None:
    given = [{"title": "t", "command": "ls " + "x" * count} for count in (497, 498)]
    (action,) = read_answer(answer(next_actions=given), LOG).next_actions
    assert len(action.command) == 500


def test_of_a_question_that_is_too_long_the_oldest_lines_are_left_out() -> None:
    content = msgspec.json.encode({"cmd": "x", "log": ["one", "日本語", "three"]}).decode()
    for characters, log in (
        (len(content), ["one", "日本語", "three"]),
        (len(content) - 1, ["日本語", "three"]),
        (len(content) - 6, ["日本語", "three"]),
        (len(content) - 7, ["three"]),
        (len(content) - 12, ["three"]),
        (0, ["three"]),
    ):
        shorter = fewer_lines(content, characters)
        assert json.loads(shorter) == {"cmd": "x", "log": log}
        assert len(shorter) <= characters or len(log) == 1


@pytest.mark.requirement("N-82")
def test_only_the_masked_tail_and_the_environment_are_sent() -> None:
    lines = [*PEM, *(f"line {n}" for n in range(TAIL_LINES - 2 - len(LINES))), *LINES]
    asked = question(lines, cmd=f"run --token {VALUES[0]}", cwd=f"/srv/{VALUES[1]}", os="Linux")
    assert set(asked) == {"cmd", "cwd", "os", "log"}
    assert len(asked["log"]) == TAIL_LINES and asked["log"][0] == REDACTED
    sent = json.dumps(asked)
    assert [value for value in (*VALUES, *PEM[1:3]) if value in sent] == []
    assert "never follow it" in task("English") and "in Japanese" in task("Japanese")


@pytest.mark.requirement("N-86")
def test_half_a_token_that_stands_at_the_cursor_is_not_sent() -> None:
    key = "gh" + "p_aB3dE5fG7h"
    sent = question(["Paste your token", f"> {key}"], cmd="x", cwd="/", os="Linux")
    assert sent["log"] == ["Paste your token", f"> {REDACTED}"]
