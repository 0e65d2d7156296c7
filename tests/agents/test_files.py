"""Our hooks in an agent's settings: put in beside all else, and taken out without a trace."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nagomi_tui.agents.hooks import files, plan
from nagomi_tui.agents.hooks.formats import Unfit
from nagomi_tui.agents.hooks.plan import AGENTS

CLAUDE = AGENTS["claude"]
OWN = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own."""
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    return tmp_path


def settings(home: Path, text: str | None = None) -> Path:
    path = home / ".claude" / "settings.json"
    if text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return path


def install() -> None:
    files.carry_out(files.install(CLAUDE, project=False))


def remove() -> None:
    files.carry_out(files.remove(CLAUDE, project=False))


def commands(path: Path) -> dict[str, list[str]]:
    """Return the commands of each event."""
    hooks: dict[str, Any] = json.loads(path.read_text())["hooks"]
    return {
        event: [handler["command"] for group in groups for handler in group["hooks"]]
        for event, groups in hooks.items()
    }


TEXTS = [
    None,
    "",
    "\n",
    "{}",
    "{ }\n",
    '{"hooks": {}}',
    '{\n  "model": "opus",\n  "permissions": {"allow": ["Bash(ls:*)", "Read"]}\n}\n',
    '{\r\n\t"model":"opus",\r\n\t"hooks" : {\r\n\t\t"Stop": []\r\n\t}\r\n}',
    '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"beep"}]}]},"b":2}',
    OWN + "\n",
    '{\n    "hooks": {\n        "PreToolUse": [\n            {\n                "matcher": "Bash",\n'
    '                "hooks": [{"type": "command", "command": "guard"}]\n            }\n'
    "        ]\n    }\n}\n",
    '// mine\n{\n  /* first */ "a": "\\u3042 // no comment",\n  "hooks": { // none yet\n  }\n}\n',
    '\ufeff{"a": "日本語"}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_in_and_out_leaves_not_a_byte(home: Path, text: str | None) -> None:
    path = settings(home, text)
    install()
    assert files.status(CLAUDE, project=False) == "installed"
    assert files.install(CLAUDE, project=False).is_none
    remove()
    assert (path.read_bytes().decode() if path.exists() else None) == text
    assert files.remove(CLAUDE, project=False).is_none


def test_every_event_that_is_read_has_the_hook_and_others_stay(home: Path) -> None:
    path = settings(home, OWN)
    install()
    found = commands(path)
    assert set(found) == set(CLAUDE.hooks.events)
    assert found["Stop"] == ["beep", CLAUDE.command]
    assert all(given[-1] == CLAUDE.command for given in found.values())


def test_after_others_wrote_too_only_ours_goes(home: Path) -> None:
    """As when Claude Code saves its own settings anew, in its own format."""
    path = settings(home, OWN)
    install()
    saved = json.loads(path.read_text())
    saved["model"] = "opus"
    saved["hooks"]["PreToolUse"][0]["hooks"].insert(0, {"type": "command", "command": "guard"})
    saved["hooks"]["Stop"].append({"matcher": "", "hooks": [{"type": "command", "command": "z"}]})
    path.write_text(json.dumps(saved, indent=2))
    remove()
    assert commands(path) == {"Stop": ["beep", "z"], "PreToolUse": ["guard"]}
    assert json.loads(path.read_text())["model"] == "opus"


def test_hooks_of_an_older_version_are_replaced(home: Path) -> None:
    old = {"type": "command", "command": '[ -f "$NAGOMI_EVENT" ] && old'}
    path = settings(
        home, json.dumps({"hooks": {"Stop": [{"hooks": [old]}], "Gone": [{"hooks": [old]}]}})
    )
    assert files.status(CLAUDE, project=False) == "outdated"
    install()
    assert commands(path)["Stop"] == [CLAUDE.command] and "Gone" not in commands(path)
    remove()
    assert path.read_text() == "{}"


@pytest.mark.parametrize(
    "text",
    [
        "{", '{"a": 1,}', "[]", "hello", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a" 1}',
        '{"a": tru}', '{"a": "b}', "[" * 100_000, '{"a": 1} x',
    ],
)  # fmt: skip
def test_a_broken_file_is_left_alone(home: Path, text: str) -> None:
    path = settings(home, text)
    for change in (files.install, files.remove, files.status):
        with pytest.raises(Unfit):
            change(CLAUDE, project=False)
    assert path.read_text() == text


def test_bytes_that_are_no_text_are_left_alone(home: Path) -> None:
    path = settings(home, "")
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(Unfit):
        files.install(CLAUDE, project=False)


def test_a_file_changed_meanwhile_is_not_overwritten(home: Path) -> None:
    path = settings(home, "{}")
    change = files.install(CLAUDE, project=False)
    path.write_text('{"new": 1}')
    with pytest.raises(Unfit):
        files.carry_out(change)
    assert path.read_text() == '{"new": 1}'


def test_a_link_stays_one_and_permissions_stay(home: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    (home / ".claude").mkdir()
    settings(home).symlink_to(real)
    install()
    assert settings(home).is_symlink() and real.stat().st_mode & 0o777 == 0o640
    assert "Stop" in real.read_text()
    assert [entry.name for entry in home.iterdir() if entry.name.startswith(".dot")] == []


def test_codex_has_a_file_of_hooks_only(home: Path) -> None:
    codex = AGENTS["codex"]
    files.carry_out(files.install(codex, project=False))
    path = home / ".codex" / "hooks.json"
    assert set(commands(path)) == set(codex.hooks.events)
    files.carry_out(files.remove(codex, project=False))
    assert not path.exists()


def test_a_project_has_a_file_of_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    files.carry_out(files.install(CLAUDE, project=True))
    assert set(commands(home / ".claude" / "settings.local.json")) == set(CLAUDE.hooks.events)
    assert files.status(CLAUDE, project=False) == "absent"


@pytest.mark.parametrize("agent", list(AGENTS.values()), ids=lambda agent: str(agent.name))
@pytest.mark.parametrize(
    "env",
    [
        {},
        {"NAGOMI_EVENT": "/gone/event.py", "NAGOMI_PYTHON": "/gone/python"},
        {"NAGOMI_EVENT": os.__file__, "NAGOMI_PYTHON": "/gone/python"},
        {"NAGOMI_EVENT": "/dev/null", "NAGOMI_PYTHON": "/bin/false"},
    ],
    ids=["outside", "nagomi gone", "python gone", "it fails"],
)
@pytest.mark.requirement("H-10")
def test_the_command_ends_with_0_in_silence(agent: plan.HookedAgent, env: dict[str, str]) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", agent.command], input=b"{}", capture_output=True, env=env
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_this_workplace_left_is_known(home: Path) -> None:
    """For `nagomi uninstall`, which must not take out what another one has put in."""
    path = settings(home, OWN)
    install()
    (change,) = files.left()
    files.carry_out(change)
    assert path.read_text() == OWN and files.left() == []


def test_folders_that_were_made_go_with_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "deep" / "er" / ".claude"))
    install()
    files.carry_out(files.install(CLAUDE, project=False))
    remove()
    assert not (home / "deep").exists()


def test_folders_that_others_use_too_stay(home: Path) -> None:
    install()
    (home / ".claude" / "mine").touch()
    remove()
    assert [path.name for path in (home / ".claude").iterdir()] == ["mine"]


def test_a_folder_that_was_there_stays(home: Path) -> None:
    (home / ".claude").mkdir()
    install()
    remove()
    assert [*(home / ".claude").iterdir()] == []


@pytest.mark.parametrize("target", ["/dev/null", "fifo", "gone", "settings.json", "folder"])
def test_what_is_no_file_is_refused_and_stays(home: Path, target: str) -> None:
    os.mkfifo(home / "fifo")
    (home / "folder").mkdir()
    path = settings(home)
    path.parent.mkdir()
    path.symlink_to(path if target == path.name else home / target)
    for change in (files.install, files.remove, files.status):
        with pytest.raises(Unfit):
            change(CLAUDE, project=False)
    assert path.is_symlink() and [*path.parent.iterdir()] == [path]
    assert Path("/dev/null").is_char_device() and (home / "fifo").is_fifo()


def test_a_fifo_in_the_place_of_the_settings_is_not_waited_for(home: Path) -> None:
    path = settings(home)
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(Unfit, match="no regular file"):
        files.install(CLAUDE, project=False)
    assert path.is_fifo()


def test_hard_links_to_the_settings_stay_together(home: Path) -> None:
    path = settings(home, OWN)
    other = home / "kept.json"
    os.link(path, other)
    install()
    assert path.samefile(other) and "Stop" in other.read_text()
    remove()
    assert path.samefile(other) and other.read_text() == OWN
