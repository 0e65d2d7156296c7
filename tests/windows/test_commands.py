"""The command line on Windows, and a workplace there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nagomi_tui.api import launch

if TYPE_CHECKING:
    from tests.windows.conftest import Program


def test_the_version_is_told(nagomi: Program) -> None:
    assert nagomi("--version").startswith("nagomi ")


def test_the_doctor_looks_at_everything(nagomi: Program) -> None:
    said = nagomi("doctor", code=1)
    assert "Windows" in said and "winsound" in said


def test_commands_are_classified(nagomi: Program) -> None:
    lines = [{"command": command, "cwd": "C:\\"} for command in ("git status", "git push")]
    said = nagomi("guard", "classify", typed="".join(f"{json.dumps(one)}\n" for one in lines))
    assert [json.loads(line)["verdict"] for line in said.splitlines()] == ["read", "write"]


def test_secrets_are_masked(nagomi: Program) -> None:
    token = "ghp_" + "a1B2" * 9
    assert token not in nagomi("mask", typed=f"token {token}\n日本語\n")


def test_hands_are_kept(nagomi: Program) -> None:
    nagomi("hands", "add", "wsl", "Debian", "--yes")
    assert "wsl.exe" in nagomi("hands", "list")


def test_a_workplace_runs_a_session(nagomi: Program) -> None:
    launch.ensure_running(timeout=100)
    try:
        told = json.loads(nagomi("new", "--json", "--", "cmd", "/d", "/c", "exit 7"))
        assert nagomi("wait", told["session_id"], "--status", "--timeout", "60", code=7) is not None
        nagomi("new", "--name", "shell")
        assert "shell" in nagomi("ls")
    finally:
        nagomi("quit", "--yes")
    assert not launch.is_served()
