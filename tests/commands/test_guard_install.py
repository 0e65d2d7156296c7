"""`nagomi guard install`, `uninstall` and `nagomi hook`, as a user runs them."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from nagomi_tui.cli import main
from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import read_state

if TYPE_CHECKING:
    from pathlib import Path

NAGOMI = [sys.executable, "-P", "-m", "nagomi_tui"]


class Place(NamedTuple):
    """A project, and a user's variables."""

    root: Path
    env: dict[str, str]

    def run(
        self, *words: str, given: str | None = None, below: tuple[str, ...] = ()
    ) -> tuple[int, str, str]:
        done = subprocess.run(
            [*below, *NAGOMI, *words], cwd=self.root, env=self.env, capture_output=True, text=True,
            input=given, stdin=None if given is not None else subprocess.DEVNULL, timeout=60,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def hooks(self, event: str) -> list[str]:
        settings = json.loads((self.root / ".claude" / "settings.json").read_text())
        return [one["command"] for group in settings["hooks"][event] for one in group["hooks"]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project in whose folder the test stands, too, as a user at a terminal outside."""
    root = tmp_path / "project"
    root.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "NAGOMI_HOME": str(tmp_path / "n")}
    for name in ("NAGOMI_LANGUAGE", "PYTHONPATH"):
        if name in os.environ:
            env[name] = os.environ[name]
    for name in ("HOME", "NAGOMI_HOME"):
        monkeypatch.setenv(name, env[name])
    monkeypatch.chdir(root)
    monkeypatch.setattr("nagomi_tui.guard.caller.doubt", lambda: None)
    return Place(root, {**env, "LANG": "C.UTF-8"})


@pytest.mark.requirement("DC-42")
def test_it_is_shown_asked_about_and_removed(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["guard", "install", "--agent", "claude"]) == 2
    assert "--yes" in capsys.readouterr().err and not (place.root / ".claude").exists()
    assert main(["guard", "install", "--agent", "claude", "--yes"]) == 0
    out = capsys.readouterr().out
    assert "+ decides at SessionStart" in out and "PreToolUse" in out and "/bin/sh" not in out
    assert max(map(len, out.splitlines())) < 250
    assert place.hooks("PreToolUse") == ["/bin/sh"]
    assert "already" in place.run("guard", "install", "--agent", "claude", "--yes")[1]
    code, out, _ = place.run("guard", "uninstall", "--dry-run")
    assert code == 0 and "- decides" in out and place.hooks("Stop") == ["/bin/sh"]
    assert "/bin/sh" in place.run("guard", "uninstall", "--dry-run", "--diff")[1]
    told = json.loads(place.run("guard", "uninstall", "--dry-run", "--json")[1])
    assert told == {"files": [str(place.root / ".claude" / "settings.json")], "removed": False}
    assert main(["guard", "mode", "implementation"]) == 0
    assert main(["guard", "install", "--agent", "codex", "--yes"]) == 0
    assert main(["guard", "uninstall", "--yes"]) == 0
    assert read_state(Project(place.root)).state.mode is Mode.IMPLEMENTATION  # It was the user.
    assert main(["guard", "mode", "discussion"]) == 0
    assert "PreToolUse" in capsys.readouterr().out
    assert not (place.root / ".claude").exists()
    assert "no guard" in place.run("guard", "uninstall", "--yes")[1]


@pytest.mark.requirement("DB-5")
def test_who_is_no_user_is_told_before_anything_is_shown(place: Place) -> None:
    code, out, fault = place.run("guard", "install", "--agent", "claude")
    assert (code != 0, out) == (True, "") and "only the user may run" in fault


@pytest.mark.requirement("DC-5")
def test_it_stands_where_the_client_looks_and_says_where_that_is(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder above the repository with a client's settings, or a guard, is none of its business."""
    parent = place.root.parent
    (parent / "work" / ".claude").mkdir(parents=True)
    (parent / "work" / "sessions").mkdir()
    (parent / "work" / "sessions" / "sessions-state.json").write_text("{}")
    inner = parent / "work" / "repository" / "deep"
    inner.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", inner.parent], check=True)
    monkeypatch.chdir(inner)
    assert main(["guard", "install", "--agent", "claude", "--yes"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    root = str(inner.parent)
    assert f"{root}/.claude/settings.json (a new file)" in out
    assert f"where it is started in {root} itself; in a folder below that it is not" in out
    assert (inner.parent / ".claude" / "settings.json").is_file()
    assert not any((parent / "work" / ".claude").iterdir())
    assert (inner.parent / "sessions" / "sessions-state.json").is_file()
    assert main(["guard", "install", "--agent", "codex", "--yes"]) == 0
    assert f"in {root}, or below that" in " ".join(capsys.readouterr().out.split())


@pytest.mark.requirement("DC-42")
def test_the_user_s_own_settings(place: Place, tmp_path: Path) -> None:
    assert main(["guard", "install", "--agent", "codex", "--user", "--yes"]) == 0
    assert "nagomi-guard" in (tmp_path / ".codex" / "hooks.json").read_text()
    assert not (place.root / ".codex").exists()
    assert main(["guard", "uninstall", "--user", "--yes"]) == 0
    assert not (tmp_path / ".codex").exists()


@pytest.mark.requirement("DB-5")
def test_an_agent_neither_installs_nor_removes_it(place: Place, tmp_path: Path) -> None:
    """Nor by way of a program of its own, which it could have the hook run."""
    assert main(["guard", "install", "--agent", "claude", "--yes"]) == 0
    marked = Place(place.root, {**place.env, "CLAUDECODE": "1"})
    client = tmp_path / "claude"
    shutil.copy(os.path.realpath("/bin/sh"), client)
    below = (str(client), "-c", '"$@"; exit $?', "sh")
    for agent, above in ((marked, ()), (place, below)):
        for words in (["uninstall"], ["install", "--agent", "codex"]):
            code, _, fault = agent.run("guard", *words, "--yes", below=above)
            assert code != 0 and re.search("only the user may run", fault)
    for words in (["uninstall"], ["install", "--agent", "codex"]):
        assert place.run("guard", *words, "--yes")[0] != 0  # Nobody sits at a terminal.
    assert place.hooks("PreToolUse") and not (place.root / ".codex").exists()


def test_nagomi_hook_decides_what_a_line_of_the_user_s_hands_it(place: Place) -> None:
    event = {"tool_name": "Write", "tool_input": {"file_path": "x"}, "cwd": str(place.root)}
    for name in ("hook", "event"):
        code, out, fault = place.run(name, "PreToolUse", given=json.dumps(event))
        assert (
            code == 2 and '"permissionDecision":"deny"' in out and "[DAIC: Tool Blocked]" in fault
        )
        code, out, fault = place.run(name, "PreToolUse", "codex", given=json.dumps(event))
        assert (code, out) == (2, "") and "[DAIC: Tool Blocked]" in fault
    code, out, _ = place.run("hook", "PreToolUse", given="{")
    assert code == 2 and "Nothing could be decided" in out
    code, out, _ = place.run("hook", "Stop", given="{")
    assert code == 0 and list(json.loads(out)) == ["systemMessage"]
    assert place.run("hook", "claude", given='{"hook_event_name": "Stop"}') == (0, "", "")


@pytest.mark.requirement("DB-5")
def test_no_agent_removes_the_guard_with_all_of_nagomi(place: Place) -> None:
    assert main(["guard", "install", "--agent", "claude", "--yes"]) == 0
    agent = Place(place.root, {**place.env, "CLAUDECODE": "1"})
    code, _, fault = agent.run("uninstall", "--yes")
    assert code != 0 and "only the user may run" in fault and place.hooks("PreToolUse")
    assert main(["uninstall", "--yes"]) == 0
    assert not (place.root / ".claude").exists()
