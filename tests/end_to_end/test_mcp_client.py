"""The real Claude Code with `nagomi mcp`, against a model server of ours: it lists and reads."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.helpers.clients import ModelServer, Step, claude, newest_claude
from tests.helpers.waiting import PATIENCE
from tests.helpers.workplace import create, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow


class PatientModel(ModelServer):
    """Calls a tool again whose server was still connecting: Claude Code does not wait for it."""

    _called = Step()

    def next(self, body: dict[str, Any]) -> Step:
        """Return the answer to a request."""
        if "No such tool available" in json.dumps(body["messages"][-1:]):
            time.sleep(0.2)
            self.requests.append(body)
            return self._called
        self._called = super().next(body)
        return self._called


def results(server: ModelServer) -> list[str]:
    """Return what tools told the model, as it stands in the requests."""
    blocks: list[Any] = [
        block
        for message in server.requests[-1]["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    return [json.dumps(block["content"]) for block in blocks if block["type"] == "tool_result"]


@pytest.mark.parametrize("start", [claude, newest_claude])
def test_claude_lists_and_reads_sessions(
    tmp_path: Path, start: Callable[[Path, Path, int], tuple[str, dict[str, str]]]
) -> None:
    steps = [
        Step(tools=(("mcp__nagomi__list_sessions", {}),)),
        Step(tools=(("mcp__nagomi__read_session", {"session": "readable"}),)),
    ]
    config = {"command": sys.executable, "args": ["-m", "nagomi_tui", "mcp"]}
    with workplace() as place, PatientModel(steps) as server, place.connect() as connection:
        made = create(connection, "sh -c 'echo a line to be read; exec cat'", name="readable")
        wait_for(connection, made, "to be read")
        command, env = start(tmp_path / "home", tmp_path, server.port)
        servers = json.dumps({"mcpServers": {"nagomi": config}})
        done = subprocess.run(
            [
                *shlex.split(command), "-p", "What is going on?", "--mcp-config", servers,
                "--strict-mcp-config", "--allowedTools", "mcp__nagomi",
            ],
            cwd=tmp_path, capture_output=True, text=True, timeout=2 * PATIENCE,
            env={"NAGOMI_HOME": str(place.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **env},
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, (done.stdout, done.stderr)
        *_, listed, read = results(server)
    assert "readable" in listed and "data-" in listed
    assert "a line to be read" in read
