"""The real Claude Code and Codex: their dialogs answered, their drafts kept, their texts taken."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import RequestFailed
from tests.helpers.clients import ModelServer, Step, claude, codex
from tests.helpers.workplace import PATIENCE, create, plain, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with workplace() as place, place.connect() as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def asks(connection: Connection, made: str) -> dict[str, Any]:
    return plain(connection.request(m.Asks(id=0, session=made), timeout=PATIENCE))


def drafted(connection: Connection, made: str, text: str) -> None:
    """Type a text without Enter and wait until it stands in the input."""
    assert send(connection, made, text, enter=False) is True
    until(lambda: asks(connection, made)["draft"] == text)


def question(connection: Connection, made: str, text: str) -> dict[str, Any]:
    """Wait until it asks about this."""

    def look() -> Any:
        found = asks(connection, made)["question"]
        return found if found and text in " ".join([found["text"], *found["details"]]) else None

    found: dict[str, Any] = until(look)
    return found


def send(connection: Connection, made: str, text: str, **more: Any) -> Any:
    order = m.Send(id=0, session=made, text=text, **more)
    return connection.request(order, timeout=PATIENCE).taken


def answer(connection: Connection, made: str, choice: str, asked: dict[str, Any]) -> None:
    """Answer; Codex takes no key in the first moment of a question, and that is told."""
    order = m.Answer(id=0, session=made, choice=choice, question=asked["question_id"])
    until(lambda: connection.request(order, timeout=PATIENCE).taken)


def test_claude_is_answered_from_outside(
    connection: Connection, tmp_path: Path, folder: Path
) -> None:
    touches = [("Bash", {"command": f"touch {name}", "description": "Make it"}) for name in "ab"]
    choice = {
        "question": "Which database?", "header": "Database", "multiSelect": False,
        "options": [{"label": "SQLite", "description": "One file"},
                    {"label": "Postgres", "description": "A server"}],
    }  # fmt: skip
    steps = [Step("Making it.", (touch,)) for touch in touches]
    steps.append(Step("", (("AskUserQuestion", {"questions": [choice]}),)))
    with ModelServer(steps) as server:
        command, env = claude(tmp_path / "home", folder, server.port)
        made = create(connection, command, cwd=str(folder), env=env)
        until(lambda: "? for shortcuts" in text_of(connection, made))
        drafted(connection, made, "half a")
        with pytest.raises(RequestFailed, match="“half a”.*--force"):
            send(connection, made, "more")
        assert send(connection, made, " thought", force=True) is True

        first = question(connection, made, "touch a")
        assert first["text"] == "Do you want to proceed?"
        assert [option["key"] for option in first["choices"]] == ["1", "2", "3"]
        until(lambda: session(connection, made)["phase"] == "attention")
        until(lambda: "Do you want to proceed? · Bash" in session(connection, made)["summary"])
        assert "touch a" in session(connection, made)["summary"]
        with pytest.raises(RequestFailed, match="Do you want to proceed"):
            send(connection, made, "1")
        answer(connection, made, "1", first)
        second = question(connection, made, "touch b")
        assert (folder / "a").exists() and not (folder / "b").exists()
        with pytest.raises(RequestFailed, match="something else by now"):
            answer(connection, made, "1", first)
        answer(connection, made, "1", second)

        which = question(connection, made, "Which database?")
        assert which["choices"][1]["label"] == "Postgres"
        answer(connection, made, "2", which)
        until(lambda: "That was all." in text_of(connection, made))
        assert '"Which database?"="Postgres"' in str(server.requests[-1]["messages"][-1])
        assert "half a thought" in str(server.requests[0]["messages"])
        assert asks(connection, made)["question"] is None


def test_codex_is_answered_from_outside(
    connection: Connection, tmp_path: Path, folder: Path
) -> None:
    given = {"cmd": "touch a", "sandbox_permissions": "require_escalated", "justification": "So."}
    with ModelServer([Step("I need it.", (("exec_command", given),))]) as server:
        command, env = codex(tmp_path / "home", folder, server.port)
        made = create(connection, command, cwd=str(folder), env=env)
        until(lambda: "? for shortcuts" in text_of(connection, made))
        drafted(connection, made, "make it")
        with pytest.raises(RequestFailed, match="“make it”"):
            send(connection, made, "more")
        assert send(connection, made, " so", force=True) is True
        asked = question(connection, made, "touch a")
        assert asked["text"] == "Would you like to run the following command?"
        assert [option["key"] for option in asked["choices"]] == ["1", "2", "3"]
        until(lambda: "$ touch a" in session(connection, made)["summary"])
        answer(connection, made, "1", asked)
        until(lambda: "That was all." in text_of(connection, made))
        assert (folder / "a").exists()
        assert "make it so" in str(server.requests[0])


def test_codex_s_question_about_our_hooks_is_really_answered(
    connection: Connection, tmp_path: Path, folder: Path
) -> None:
    """Its keys only move the mark: the choice is entered."""
    hook = {"hooks": [{"type": "command", "command": "true"}]}
    with ModelServer([Step("Hello.")]) as server:
        command, env = codex(tmp_path / "home", folder, server.port)
        hooks = tmp_path / "home" / ".codex" / "hooks.json"
        hooks.write_text(json.dumps({"hooks": {"SessionStart": [hook]}}))
        made = create(connection, command, cwd=str(folder), env=env)
        asked = question(connection, made, "Hooks need review")
        until(lambda: session(connection, made)["phase"] == "attention")
        assert [option["key"] for option in asked["choices"]] == ["1", "2", "3"]
        answer(connection, made, "2", asked)
        until(lambda: "? for shortcuts" in text_of(connection, made))
        assert "Hooks need review" not in text_of(connection, made)


def test_an_agent_that_a_shell_started_is_known(
    connection: Connection, tmp_path: Path, folder: Path
) -> None:
    """Codex is a program behind the node that its command starts."""
    gate = threading.Event()
    with ModelServer([Step("It is forty-two.", gate=gate)]) as server:
        command, env = codex(tmp_path / "home", folder, server.port)
        made = create(connection, "bash --norc -i", cwd=str(folder), env=env)
        until(lambda: session(connection, made)["phase"] == "idle")
        connection.send(m.TypeText(session=made, text=f"{command}\r"))
        until(lambda: "? for shortcuts" in text_of(connection, made))
        drafted(connection, made, "go")
        assert send(connection, made, " on", force=True) is True
        until(lambda: session(connection, made)["phase"] == "thinking")
        gate.set()
        until(lambda: session(connection, made)["phase"] == "success")
        assert "It is forty-two." in text_of(connection, made)
