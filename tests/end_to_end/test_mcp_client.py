"""The real Claude Code and Codex with `nagomi mcp` as `nagomi hooks install` registers it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.clients import ModelServer, Step, claude, codex, newest_claude
from tests.helpers.waiting import PATIENCE
from tests.helpers.workplace import create, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow


class PatientModel(ModelServer):
    """Waits for a server that is still connecting: neither client does."""

    _called = Step()

    def next(self, body: dict[str, Any]) -> Step:
        """Return the answer to a request."""
        if "input" in body and "mcp__nagomi" not in str(body["tools"]):
            return Step(tools=(("exec_command", {"cmd": "sleep 0.2"}),))
        if "No such tool available" in str(body.get("messages", ())[-1:]):
            time.sleep(0.2)
            self.requests.append(body)
            return self._called
        self._called = super().next(body)
        return self._called


def results(server: ModelServer) -> list[str]:
    """Return what tools told the model, as it stands in the requests, but that they are not there yet."""
    said = server.requests[-1]
    blocks: list[Any] = said.get("input") or [
        block
        for message in said["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    found = [block.get("output") or block.get("content") for block in blocks]
    kinds = ("tool_result", "function_call_output")
    told = [str(one) for one, block in zip(found, blocks, strict=True) if block["type"] in kinds]
    return [one for one in told if "No such tool available" not in one]


@contextmanager
def room_with_a_session() -> Iterator[Place]:
    with workplace() as place, place.connect() as connection:
        made = create(connection, "sh -c 'echo a line to be read; exec cat'", name="readable")
        wait_for(connection, made, "to be read")
        yield place


def register(env: dict[str, str], agent: str) -> None:
    """Register the server as a user does, but for the answers."""
    command = [sys.executable, "-P", "-m", "nagomi_tui", "hooks", "install", "--yes", "--mcp"]
    subprocess.run(
        [*command, "--agent", agent], env={**os.environ, **env}, check=True, capture_output=True
    )


def run(command: str, *words: str, cwd: Path, env: dict[str, str]) -> None:
    """Let the client answer one question, in an environment of its own."""
    done = subprocess.run(
        [*shlex.split(command), *words], cwd=cwd, capture_output=True, text=True,
        timeout=2 * PATIENCE, stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **env},
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout, done.stderr)


@pytest.mark.parametrize("start", [pytest.param(claude, marks=pytest.mark.variant), newest_claude])
def test_claude_lists_and_reads_sessions_by_the_registered_server(
    tmp_path: Path, start: Callable[[Path, Path, int], tuple[str, dict[str, str]]]
) -> None:
    steps = [
        Step(tools=(("mcp__nagomi__list_sessions", {}),)),
        Step(tools=(("mcp__nagomi__read_session", {"session": "readable"}),)),
    ]
    with room_with_a_session() as place, PatientModel(steps) as server:
        command, env = start(tmp_path / "home", tmp_path, server.port)
        env["NAGOMI_HOME"] = str(place.home)
        register(env, "claude")
        words = ("-p", "What is going on?", "--allowedTools", "mcp__nagomi")
        run(command, *words, cwd=tmp_path, env=env)
        *_, listed, read = results(server)
    assert "readable" in listed and "data-" in listed
    assert "a line to be read" in read


def test_codex_lists_and_reads_sessions_by_the_registered_server(tmp_path: Path) -> None:
    cwd = tmp_path / "work"
    cwd.mkdir()
    steps = [
        Step(tools=(("mcp__nagomi/list_sessions", {}),)),
        Step(tools=(("mcp__nagomi/read_session", {"session": "readable"}),)),
    ]
    with room_with_a_session() as place, PatientModel(steps) as server:
        command, env = codex(tmp_path / "home", cwd, server.port)
        env |= {"NAGOMI_HOME": str(place.home), "PATH": os.environ["PATH"]}
        register(env, "codex")
        run(command, "exec", "--skip-git-repo-check", "What is going on?", cwd=cwd, env=env)
        *_, listed, read = results(server)
    assert "readable" in listed and "data-" in listed
    assert "a line to be read" in read
