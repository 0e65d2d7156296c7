"""nagomi chat as a session like any other: the judge reads its turns from its marks alone."""

from __future__ import annotations

import json
import shlex
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from tests.end_to_end.test_judge import Watcher
from tests.helpers.tree import ROOT
from tests.helpers.workplace import PATIENCE, Place, create, session, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

ASKS = {
    "type": "question", "id": "q1", "tool": "write_file", "title": "write notes.md",
    "detail": "-old\n+new", "risk": "medium",
}  # fmt: skip
DONE = {"type": "turn_ended", "outcome": "done"}
FAILED = {"type": "turn_ended", "outcome": "failed", "text": "The server broke off."}


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


def says(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def chat_command(folder: Path, *turns: list[dict[str, Any]], language: str = "en") -> str:
    (folder / "log").touch()
    env = {
        "SCRIPTED_TALK": json.dumps(turns), "SCRIPTED_TALK_LOG": str(folder / "log"),
        "PYTHONPATH": str(ROOT), "NAGOMI_LANG": language,
    }  # fmt: skip
    words = [f"{name}={value}" for name, value in env.items()]
    return shlex.join(["env", *words, sys.executable, "-m", "tests.helpers.scripted_talk"])


def start(
    watcher: Watcher, folder: Path, *turns: list[dict[str, Any]], language: str = "en"
) -> str:
    made = create(watcher.connection, chat_command(folder, *turns, language=language))
    wait_for(watcher.connection, made, "initial")
    return made


def send(watcher: Watcher, made: str, text: str) -> None:
    watcher.connection.request(messages.Send(id=0, session=made, text=text), timeout=PATIENCE)


@pytest.mark.requirement("F-11")
def test_turns_that_are_answered_fail_and_are_cancelled(place: Place, tmp_path: Path) -> None:
    with place.connect(front_end=True) as connection:
        watcher = Watcher(connection)
        made = start(
            watcher, tmp_path,
            [says("hello"), {"sleep": 2.0}, DONE], [says("x"), {"sleep": 1.0}, FAILED], [says("half"), {"sleep": 60}],
        )  # fmt: skip
        send(watcher, made, "first")
        watcher.comes_to(made, "thinking")
        ended = watcher.turn(made, "success")
        assert ended.verdict.state == "success"
        send(watcher, made, "second")
        failed = watcher.turn(made, "failure", ended.turn + 1)
        send(watcher, made, "third")
        wait_for(connection, made, "half")
        watcher.comes_to(made, "thinking")
        connection.send(messages.TypeText(session=made, text="\x03"))
        wait_for(connection, made, "Ended here")
        until(lambda: session(connection, made)["phase"] not in ("running", "thinking"))
        assert failed.turn > ended.turn
        assert failed.verdict.summary == "It has failed.", "its own prompt is no reason"
        found = connection.request(messages.Why(id=0, session=made), timeout=PATIENCE)
        assert found.rule == "shell-interrupted"
        assert [ground.text for ground in found.evidence_detail] == ["D;130"]


@pytest.mark.requirement("F-11")
def test_a_question_calls_the_user(place: Place, tmp_path: Path) -> None:
    with place.connect(front_end=True) as connection:
        watcher = Watcher(connection)
        made = start(watcher, tmp_path, [{"sleep": 1.0}, ASKS, says("so"), DONE])
        send(watcher, made, "write it")
        watcher.comes_to(made, "attention")
        time.sleep(1)  # a key that comes at once is taken for one that was meant for something else
        connection.send(messages.TypeText(session=made, text="n"))
        watcher.turn(made, "success")


LOOKS_LIKE_A_QUESTION = """
Shall I go on with the deployment now?

❯ 1. Yes
  2. No

Do you want to proceed? [y/N]"""
ASKS_BY_KEY = """
Press any key to continue """


@pytest.mark.requirement("F-11")
@pytest.mark.parametrize("language", ["en", pytest.param("ja", marks=pytest.mark.variant)])
def test_a_slow_turn_thinks_or_uses_a_tool_and_never_calls(
    place: Place, tmp_path: Path, language: str
) -> None:
    tool = {"type": "tool_started", "id": "t", "name": "read_session", "summary": "read_session 3"}
    slow = [
        {"sleep": 3.0},
        says(LOOKS_LIKE_A_QUESTION), {"sleep": 3.0},
        tool, {"sleep": 3.0},
        {"type": "tool_ended", "id": "t", "ok": True, "summary": "40 lines"},
        says(ASKS_BY_KEY), {"sleep": 3.0},
        DONE,
    ]  # fmt: skip
    with place.connect(front_end=True) as connection:
        watcher = Watcher(connection)
        made = start(watcher, tmp_path, slow, language=language)
        watcher.phases.clear()
        send(watcher, made, "what is going on")
        watcher.turn(made, "success")
        at_work = [phase for phase in watcher.phases[made] if phase in ("thinking", "running")]
        assert at_work[-3:] == ["thinking", "running", "thinking"]
        assert "attention" not in watcher.phases[made]
        assert not [turn for turn in watcher.turns[made] if turn.verdict.state == "attention"]


@pytest.mark.requirement("F-11")
def test_a_chat_that_was_killed_in_mid_turn_leaves_no_work_behind(
    place: Place, tmp_path: Path
) -> None:
    with place.connect(front_end=True) as connection:
        watcher = Watcher(connection)
        shell = watcher.shell()
        cmd = chat_command(tmp_path, [{"sleep": 60}])
        watcher.type(shell, f"{cmd}\r")
        wait_for(connection, shell, "Ask about your sessions")
        watcher.type(shell, "go on\r")
        watcher.comes_to(shell, "thinking")
        for pid, command in place.pids().items():
            if "tests.helpers.scripted_talk" in command:
                place.kill(pid)
        watcher.type(shell, "\rsleep 1; echo over\r")
        wait_for(connection, shell, "over")
        until(lambda: session(connection, shell)["phase"] not in ("running", "thinking"))
