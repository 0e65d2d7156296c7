"""The real Claude Code and Codex with our hooks installed: what reaches nagomi, and what it means."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from nagomi_tui.api import messages
from nagomi_tui.judge.evidence import Says
from nagomi_tui.judge.senses.hooks import HookReader
from nagomi_tui.orchestrator.sessions.store import Record
from tests.helpers.clients import ModelServer, Step, claude, codex, newest_claude
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = pytest.mark.slow

THINKS, RUNS, WAITS = Says.THINKING, Says.RUNNING, Says.WAITS


class Ear:
    """Hears the events in place of the orchestrator, and reads them as the judge does."""

    def __init__(self, listener: socket.socket) -> None:
        self.payloads: list[dict[str, Any]] = []
        self.said: list[Says] = []
        self._reader = HookReader()
        self._listener = listener
        threading.Thread(target=self._run, daemon=True).start()

    def names(self) -> list[str]:
        return [payload["hook_event_name"] for payload in self.payloads]

    def _run(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            with peer, peer.makefile("rb") as lines:
                for line in lines:
                    self._hear(json.loads(line))

    def _hear(self, event: dict[str, Any]) -> None:
        said = self._reader.read(event["payload"], event["at"])
        if said and self.said[-1:] != [said.says]:
            self.said.append(said.says)
        self.payloads.append(event["payload"])


@contextmanager
def listening(folder: Path) -> Iterator[tuple[Ear, str]]:
    """Give an ear and the path of its socket."""
    path = str(folder / "ear")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen()
        yield Ear(listener), path


def install(env: dict[str, str], agent: str) -> None:
    """Install the hooks as a user does."""
    command = [sys.executable, "-P", "-m", "nagomi_tui", "hooks", "install", "--yes"]
    subprocess.run(
        [*command, "--agent", agent], env={**os.environ, **env}, check=True, capture_output=True
    )


def see(connection: Connection, session_id: str, pattern: str) -> None:
    """Wait until the screen shows something."""
    until(lambda: re.search(pattern, text_of(connection, session_id)))


def say(connection: Connection, session_id: str, text: str) -> None:
    send = messages.Send(id=0, session=session_id, text=text, enter=False)
    connection.request(send, timeout=PATIENCE)
    see(connection, session_id, f"[❯›]\\s{re.escape(text)}")
    press(connection, session_id, "enter")


def press(connection: Connection, session_id: str, key: str) -> None:
    connection.request(messages.Keys(id=0, session=session_id, keys=(key,)), timeout=PATIENCE)


def answered(connection: Connection, session_id: str) -> bool:
    """Press y; Codex takes no key in the first moment of a question."""
    press(connection, session_id, "y")
    time.sleep(0.2)
    return "Would you like to run" not in text_of(connection, session_id)


def emptied(connection: Connection, session_id: str) -> bool:
    """Clear Claude's input."""
    press(connection, session_id, "ctrl+u")
    time.sleep(0.2)
    lines = text_of(connection, session_id).splitlines()
    return [line for line in lines if line.startswith("❯")][-1].strip("❯\xa0 ") == ""


def conversation(place: Place, session_id: str) -> str:
    """Return the id of the conversation in the record of a session."""
    with closing(sqlite3.connect(place.home / "state" / "sessions.db")) as store, store:
        row = store.execute("SELECT record FROM sessions WHERE session_id = ?", (session_id,))
        found = msgspec.json.decode(row.fetchone()[0], type=Record).conversation
    return found.id if found else ""


def test_claude_tells_each_step_of_its_turns(tmp_path: Path) -> None:
    """A tool that is allowed, an answer, an interruption that no hook tells of, a failure."""
    cwd = tmp_path / "work"
    cwd.mkdir()
    gate = threading.Event()
    steps = [
        Step("I make it.", (("Bash", {"command": "touch made", "description": "make"}),)),
        Step("It is made."),
        Step("never said", gate=gate),
        Step(error=400),
    ]
    with (
        ModelServer(steps) as server,
        listening(tmp_path) as (ear, path),
        workplace() as place,
        place.connect() as connection,
    ):
        command, env = claude(tmp_path / "home", cwd, server.port)
        install(env, "claude")
        agent = create(connection, command, str(cwd), env={**env, "NAGOMI_SOCKET": path}, rows=40)
        see(connection, agent, "for shortcuts")
        until(lambda: ear.said == [Says.REST])

        say(connection, agent, "make it")
        see(connection, agent, "Do you want to proceed")
        until(lambda: ear.said[-1] is WAITS)
        assert not (cwd / "made").exists()
        until(lambda: session(connection, agent)["phase"] == "attention")
        turn = session(connection, agent)["turn"]
        press(connection, agent, "enter")
        until(lambda: ear.said[-1] is Says.SUCCEEDED)
        assert ear.said[1:] == [THINKS, RUNS, WAITS, THINKS, Says.SUCCEEDED]
        assert (cwd / "made").exists()
        until(lambda: session(connection, agent)["phase"] == "success")
        assert session(connection, agent)["turn"] == turn

        say(connection, agent, "think for long")
        until(lambda: ear.said[-1] is THINKS)
        until(lambda: len(server.requests) == 3)
        count = len(ear.payloads)
        press(connection, agent, "escape")
        until(lambda: "esc to interrupt" not in text_of(connection, agent))
        # What was asked is in the input again.
        until(lambda: emptied(connection, agent))
        say(connection, agent, "and now fail")
        until(lambda: ear.said[-1] is Says.FAILED)
        assert ear.names()[count:] == ["UserPromptSubmit", "StopFailure"]
        gate.set()

    kept = {name for payload in ear.payloads for name in payload}
    assert "prompt" not in kept and "tool_response" not in kept


@pytest.mark.parametrize("start", [pytest.param(claude, marks=pytest.mark.variant), newest_claude])
def test_claude_s_restart_goes_on_with_its_own_conversation(start: Start, tmp_path: Path) -> None:
    """Not with the latest in that folder, which was begun elsewhere since."""
    cwd = tmp_path / "work"
    cwd.mkdir()
    steps = [Step("I am the first."), Step("I am the second.")]
    with ModelServer(steps) as server, workplace() as place, place.connect() as connection:
        command, env = start(tmp_path / "home", cwd, server.port)
        install(env, "claude")
        agent = create(connection, command, str(cwd), env=env, rows=40)
        see(connection, agent, "for shortcuts")
        say(connection, agent, "who are you?")
        see(connection, agent, "I am the first")
        until(lambda: session(connection, agent)["phase"] == "success")
        told = until(lambda: conversation(place, agent))
        outside = {"PATH": os.environ["PATH"], **env}
        later = subprocess.run(
            [*shlex.split(command), "-p", "and you?"],
            cwd=cwd,
            env=outside,
            capture_output=True,
            text=True,
        )
        assert "I am the second" in later.stdout

        with place.connect(env={**os.environ, **env}) as asking:
            again = messages.Restart(id=0, session=agent)
            assert asking.request(again, timeout=PATIENCE).resumed is True
        see(connection, agent, "I am the first")
        assert "I am the second" not in text_of(connection, agent)
        assert conversation(place, agent) == told


def test_codex_tells_each_step_and_goes_on_with_its_conversation(tmp_path: Path) -> None:
    cwd = tmp_path / "work"
    cwd.mkdir()
    escalated = {"sandbox_permissions": "require_escalated", "justification": "to see it"}
    steps = [
        Step("I say it.", (("exec_command", {"cmd": "echo said", **escalated}),)),
        Step("It is said."),
    ]
    with (
        ModelServer(steps) as server,
        listening(tmp_path) as (ear, path),
        workplace() as place,
        place.connect() as connection,
    ):
        command, env = codex(tmp_path / "home", cwd, server.port)
        install(env, "codex")
        command += " --dangerously-bypass-hook-trust"
        agent = create(connection, command, str(cwd), env={**env, "NAGOMI_SOCKET": path}, rows=40)
        see(connection, agent, "Ask Codex")
        say(connection, agent, "say it")
        see(connection, agent, "Would you like to run")
        until(lambda: ear.said[-1:] == [WAITS])
        until(lambda: answered(connection, agent))
        until(lambda: ear.said[-1] is Says.SUCCEEDED)
        assert ear.said[-5:] == [THINKS, RUNS, WAITS, THINKS, Says.SUCCEEDED]
        told = ear.payloads[-1]["session_id"]

        # Its socket is the test's; what it told is handed on as it would have been.
        for payload in ear.payloads:
            connection.send(messages.Hook(session=agent, agent="codex", payload=payload, at=0.0))
        until(lambda: conversation(place, agent) == told)
        with place.connect(env={**os.environ, **env}) as asking:
            again = messages.Restart(id=0, session=agent)
            assert asking.request(again, timeout=PATIENCE).resumed is True
        see(connection, agent, "It is said")
