"""The hook as clients run it: by a shell, with nothing of nagomi on Python's path."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.install.hooks import GuardHooks

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("D-63", "DC-30")
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_the_command_that_clients_run_decides(agent: str, tmp_path: Path) -> None:
    project = tmp_path / "p"
    (project / "sessions").mkdir(parents=True)
    handler = GuardHooks(agent, str(project)).content.handlers["PreToolUse"]
    shell = ["sh", "-c", handler["command"]]
    command = [handler["command"], *handler["args"]] if "args" in handler else shell
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "NAGOMI_HOME": str(tmp_path / "n")}

    def told(line: str) -> subprocess.CompletedProcess[str]:
        event = {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": line},
        }
        return subprocess.run(
            command, env=env | {"NAGOMI_GUARD": "hook"}, cwd=project, text=True,
            input=json.dumps({**event, "cwd": str(project), "session_id": "s"}), capture_output=True,
        )  # fmt: skip

    refused, let = told("touch x"), told("ls")
    assert "touch is not known to only read" in refused.stdout + refused.stderr
    assert refused.returncode == 2 or '"permissionDecision":"deny"' in refused.stdout.replace(
        " ", ""
    )
    assert let.returncode == 0 and "deny" not in let.stdout and let.stderr == ""
