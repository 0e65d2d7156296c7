"""What would keep a client from running the guard where it is installed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agents.hooks import files
from nagomi_tui.doctor import workplace
from nagomi_tui.guard.install.fitness import faults
from nagomi_tui.guard.install.hooks import GuardHooks, project_here

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with both guards, which both clients trust."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_CODE_SIMPLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(root)
    trusted = {"projects": {str(root): {"hasTrustDialogAccepted": True}}}
    (tmp_path / ".claude.json").write_text(json.dumps(trusted))
    for agent in ("claude", "codex"):
        files.carry_out(files.install(GuardHooks(agent, str(root)), project=True))
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(
        f'[projects."{root}"]\ntrust_level = "trusted"\n'
        f'[hooks.state."{root}/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "x"\n'
    )
    return root


def _said(agent: str = "claude", program: Path | None = None) -> str:
    hooks = GuardHooks(agent, str(project_here()))
    found = faults(hooks, hooks.path(project=True), str(program) if program else None)
    return " ".join(one.message.format(**one.values) for one in found)


def test_where_all_is_well_nothing_is_said() -> None:
    assert _said("claude") == _said("codex") == ""
    assert [check.result for check in workplace.guard_checks()] == ["ok", "ok", "ok"]


@pytest.mark.requirement("H-23")
def test_a_folder_that_is_not_trusted(project: Path, tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text("{}")
    (tmp_path / ".codex" / "config.toml").write_text("")
    assert "Claude Code does not trust this folder" in _said("claude")
    assert "Codex does not trust this folder" in _said("codex")


@pytest.mark.requirement("H-23")
def test_a_folder_within_a_trusted_one_is_trusted(tmp_path: Path) -> None:
    trusted = {"projects": {str(tmp_path): {"hasTrustDialogAccepted": True}}}
    (tmp_path / ".claude.json").write_text(json.dumps(trusted))
    assert _said("claude") == ""


@pytest.mark.requirement("H-23")
def test_hooks_that_are_not_trusted(project: Path, tmp_path: Path) -> None:
    (tmp_path / ".codex" / "config.toml").write_text(
        f'[projects."{project}"]\ntrust_level = "trusted"\n'
    )
    assert "that you trust them (`/hooks`)" in _said("codex")


@pytest.mark.parametrize("file", [".claude/settings.json", "project/.claude/settings.local.json"])
@pytest.mark.requirement("H-23")
def test_another_file_of_settings_wins(tmp_path: Path, file: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"disableAllHooks": true}')
    assert f"{path} sets disableAllHooks" in _said("claude")
    path.write_text('{"disableAllHooks": false}')
    assert _said("claude") == ""


@pytest.mark.requirement("H-23")
def test_hooks_are_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.write_text(path.read_text() + "[features]\nhooks = false\n")
    assert "sets features.hooks" in _said("codex")
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
    assert "CLAUDE_CODE_SIMPLE is set" in _said("claude")


@pytest.mark.parametrize(
    ("version", "said"), [("1.0.9 (Claude Code)", True), ("2.1.197", False), ("what", False)]
)
def test_a_client_that_is_too_old(tmp_path: Path, version: str, said: bool) -> None:
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    assert ("is older than 2.1.197" in _said("claude", program)) is said
    assert _said("claude", tmp_path / "missing") == ""


def test_doctor_names_a_guard_of_another_installation(project: Path) -> None:
    path = project / ".claude" / "settings.json"
    path.write_text(path.read_text().replace("entrance.py", "gone.py"))
    _, found, *_ = workplace.guard_checks()
    assert found.result == "warning" and "another installation" in found.meaning
    assert found.remedy == "nagomi guard install"
