"""The guard in a client's status line, and `/sessions`: in by choice, and out without a trace."""

from __future__ import annotations

import io
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.agents.hooks import files
from nagomi_tui.cli import main
from nagomi_tui.doctor import workplace
from nagomi_tui.guard.install import hooks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MINE: dict[str, Any] = {"type": "command", "command": "mine", "padding": 0}
SETTINGS = '{\n  // mine\n  "statusLine": {"type": "command", "command": "mine", "padding": 0},\n  "model": "opus"\n}\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to guard, and a home of the test's own; a user at a terminal outside calls."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.setattr("nagomi_tui.guard.caller.doubt", lambda: None)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have what is asked answered, a letter for each question."""

    def answer(letters: str) -> None:
        given = iter(letters)
        monkeypatch.setattr("builtins.input", lambda _question: next(given))
        monkeypatch.setattr("nagomi_tui.system.console.READ_SECONDS", 0.0)
        stdin = io.StringIO()
        monkeypatch.setattr(stdin, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", stdin)

    return answer


def _install(*words: str) -> int:
    return main(["guard", "install", "--agent", "claude", *words])


def _uninstall(*words: str) -> int:
    return main(["guard", "uninstall", "--agent", "claude", "--yes", *words])


def _settings(folder: Path) -> dict[str, Any]:
    text = (folder / ".claude" / "settings.json").read_text().replace("// mine", "")
    return dict(json.loads(text))


def _tree(folder: Path) -> dict[str, str]:
    return {str(one): one.read_text() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.requirement("DC-36", "DC-37")
def test_they_come_only_by_choice(
    project: Path, at_terminal: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _install("--yes") == 0
    assert "statusLine" not in _settings(project) and not (project / ".claude/commands").exists()
    at_terminal("nn")
    assert _install() == 0
    assert "statusLine" not in _settings(project) and not (project / ".claude/commands").exists()
    at_terminal("yy")
    capsys.readouterr()
    assert _install() == 0
    shown = capsys.readouterr().out
    assert '+  "statusLine"' in shown and "+disable-model-invocation: true" in shown
    assert "guard statusline" in _settings(project)["statusLine"]["command"]
    assert (project / ".claude/commands/sessions.md").is_file()
    at_terminal("")  # Nothing is asked about what is there.
    assert _install() == 0


@pytest.mark.parametrize("text", [None, "{}\n", '{"model": "opus"}'])
@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.requirement("DC-36", "DC-37", "DC-42")
def test_in_and_out_leaves_no_trace(project: Path, text: str | None, edited: bool) -> None:
    path = project / ".claude" / "settings.json"
    if text is not None:
        path.parent.mkdir()
        path.write_text(text)
    before = _tree(project)
    assert _install("--yes", "--status-line", "--slash-command") == 0
    if edited:  # By the client, say: the way back that was noted is of no use then.
        path.write_text(path.read_text() + "\n")
    assert _install("--yes", "--status-line", "--slash-command") == 0
    assert _uninstall("--dry-run") == 0 and "statusLine" in _settings(project)
    assert _uninstall() == 0
    after = _tree(project)
    assert {name: one.rstrip() for name, one in after.items()} == {
        name: one.rstrip() for name, one in before.items()
    }
    assert path.parent.exists() is (text is not None)


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.requirement("DC-36")
def test_one_of_the_user_s_own_is_replaced_only_when_asked_and_put_back(
    project: Path, at_terminal: Callable[[str], None], edited: bool
) -> None:
    path = project / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    assert _install("--yes", "--status-line") == 0
    assert _settings(project)["statusLine"] == MINE
    at_terminal("n")
    assert _install("--yes", "--status-line") == 0
    assert _settings(project)["statusLine"] == MINE
    at_terminal("y")
    assert _install("--yes", "--status-line") == 0
    assert _settings(project)["statusLine"] != MINE
    if edited:
        path.write_text(path.read_text().replace('"opus"', '"sonnet"'))
    assert _uninstall() == 0
    assert path.read_text() == (SETTINGS.replace("opus", "sonnet") if edited else SETTINGS)


@pytest.mark.requirement("DC-36")
def test_one_that_would_be_hidden_is_asked_about_too(
    project: Path, tmp_path: Path, at_terminal: Callable[[str], None]
) -> None:
    """That of the user's own settings, for all projects."""
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    (tmp_path / "home" / ".claude" / "settings.json").write_text(SETTINGS)
    assert _install("--yes", "--status-line") == 0 and "statusLine" not in _settings(project)
    at_terminal("y")
    assert _install("--yes", "--status-line") == 0 and "statusLine" in _settings(project)
    assert (tmp_path / "home" / ".claude" / "settings.json").read_text() == SETTINGS


@pytest.mark.requirement("DC-36")
def test_it_is_renewed_after_a_move_and_replaces_no_other(
    project: Path, at_terminal: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(SETTINGS)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(hooks, "_program", lambda: "/gone/python -P -m nagomi_tui")
        at_terminal("y")
        assert _install("--yes", "--status-line", "--slash-command") == 0
    assert "/gone/" in _settings(project)["statusLine"]["command"]
    assert any(check.key == "guard_status_line_claude" and check.result == "warning"
               for check in workplace.guard_checks())  # fmt: skip
    assert _install("--yes") == 0
    assert "/gone/" not in _settings(project)["statusLine"]["command"]
    assert "/gone/" not in (project / ".claude/commands/sessions.md").read_text()
    assert _uninstall() == 0
    assert (project / ".claude/settings.json").read_text() == SETTINGS


@pytest.mark.requirement("DC-36")
def test_doctor_tells_which_one_wins(project: Path) -> None:
    def found() -> dict[str, str]:
        return {check.key: check.meaning for check in workplace.guard_checks()}

    assert _install("--yes") == 0 and "guard_status_line_claude" not in found()
    assert _install("--yes", "--status-line") == 0
    assert found()["guard_status_line_claude"] == ""
    local = project / ".claude" / "settings.local.json"
    local.write_text(SETTINGS)
    assert str(local) in found()["guard_status_line_claude"]


@pytest.mark.requirement("DC-36")
def test_the_line_as_a_client_runs_it(project: Path, tmp_path: Path) -> None:
    """And quietly nothing where nagomi is gone."""
    assert _install("--yes", "--status-line") == 0
    command = _settings(project)["statusLine"]["command"]
    env = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "NAGOMI_HOME": str(tmp_path / "n"),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "CLAUDE_PROJECT_DIR": str(project),
    }  # fmt: skip
    given = json.dumps({"model": {"id": "x"}, "context_window": {"used_percentage": 50}})
    for line, said in ((command, "Discuss"), (command.replace("python", "pythom"), "")):
        done = subprocess.run(
            ["sh", "-c", line], input=given, env=env, cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "") and said in done.stdout
        assert bool(done.stdout) is bool(said)


@pytest.mark.requirement("DC-37")
def test_a_command_of_the_user_s_own_stays(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / ".claude" / "commands" / "sessions.md"
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    assert _install("--yes", "--slash-command") == 0
    assert "not of nagomi" in capsys.readouterr().out
    assert _uninstall() == 0 and path.read_text() == "mine\n"


@pytest.mark.requirement("DB-5")
def test_an_agent_puts_neither_there(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from nagomi_tui.text.words import Said

    assert _install("--yes") == 0
    monkeypatch.setattr("nagomi_tui.guard.caller.doubt", lambda: Said("an agent started this", {}))
    assert _install("--yes", "--status-line", "--slash-command") != 0
    assert "only the user may run" in capsys.readouterr().err
    assert "statusLine" not in _settings(project) and not (project / ".claude/commands").exists()


@pytest.mark.requirement("DC-36", "DC-37")
def test_all_of_nagomi_goes_with_them(project: Path) -> None:
    assert _install("--yes", "--status-line", "--slash-command") == 0
    for _ in range(3):
        change, *_ = files.left()
        files.carry_out(change)
    assert files.left() == [] and not (project / ".claude").exists()
