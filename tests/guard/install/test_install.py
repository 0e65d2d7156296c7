"""The guard in clients' settings: beside the user's hooks and the judge's, and out without a trace."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agents.hooks import files, plan
from nagomi_tui.guard.install import hooks as line
from nagomi_tui.guard.install.hooks import GuardHooks, project_here

if TYPE_CHECKING:
    from pathlib import Path

MINE = '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}\n    ]\n  },\n  "model": "opus"\n}\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to guard, and a home of the test's own."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name, value in (
        ("HOME", "home"), ("NAGOMI_HOME", "nagomi"), ("CLAUDE_CONFIG_DIR", "c"), ("CODEX_HOME", "x"),
    ):  # fmt: skip
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.chdir(folder)
    return folder


def _hooks(agent: str = "claude") -> GuardHooks:
    return GuardHooks(agent, str(project_here()))


def _install(agent: str = "claude") -> Path:
    change = files.install(_hooks(agent), project=True)
    files.carry_out(change)
    return change.path


def _remove(agent: str = "claude") -> None:
    files.carry_out(files.remove(_hooks(agent), project=True))


@pytest.mark.parametrize("agent", ["claude", "codex"])
@pytest.mark.parametrize("text", [None, "{}\n", MINE])
@pytest.mark.requirement("DC-42")
def test_in_and_out_leaves_no_trace(project: Path, agent: str, text: str | None) -> None:
    path = _hooks(agent).path(project=True)
    if text is not None:
        path.parent.mkdir()
        path.write_text(text)
    assert _install(agent) == path
    assert files.status(_hooks(agent), project=True) == "installed"
    assert files.install(_hooks(agent), project=True).is_none
    _remove(agent)
    assert (path.read_text() if path.exists() else None) == text
    assert path.parent.exists() is (text is not None)


@pytest.mark.requirement("DC-6", "DC-42", "H-22")
def test_every_event_has_one_hook_without_a_matcher(project: Path) -> None:
    path = _hooks().path(project=True)
    path.parent.mkdir()
    path.write_text(MINE)
    _install()
    hooks = json.loads(path.read_text())["hooks"]
    assert set(_hooks().events) == set(hooks) and "SubagentStop" in hooks
    assert hooks["PreToolUse"][0]["hooks"] == [{"type": "command", "command": "mine"}]
    for event, groups in hooks.items():
        assert groups[-1] == {"hooks": [line.handler("claude", event)]}
        assert len(groups) == (2 if event == "PreToolUse" else 1)


@pytest.mark.requirement("DC-42")
def test_hooks_of_both_kinds_in_one_file_go_one_by_one(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The user's settings may hold both; neither way out takes the other's."""
    judge, guard = plan.AGENTS["claude"], _hooks()
    files.carry_out(files.install(judge, project=False))
    files.carry_out(files.install(guard, project=False))
    assert files.status(judge, project=False) == files.status(guard, project=False)
    files.carry_out(files.remove(judge, project=False))
    assert files.status(guard, project=False) == "installed"
    assert files.status(judge, project=False) == "absent"
    files.carry_out(files.install(judge, project=False))
    for _ in range(2):
        change, *_ = files.left()
        files.carry_out(change)
    assert files.left() == []
    assert "nagomi" not in (tmp_path / "c" / "settings.json").read_text()


@pytest.mark.requirement("DC-42")
def test_one_of_another_installation_is_replaced(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(line, "roots", lambda: ["/another/place"])
        _install()
    assert files.status(_hooks(), project=True) == "outdated"
    path = _install()
    assert "/another/place" not in path.read_text()
    _remove()
    assert not path.exists()


def test_the_project_is_the_one_with_settings_or_the_repository(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert project_here() == inner
    (project / ".git").mkdir()
    assert project_here() == project
    (project / "a" / ".claude").mkdir()
    assert project_here() == project / "a"
