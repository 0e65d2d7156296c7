"""`nagomi hooks`: shows, asks, writes, and takes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nagomi_tui.agents.hooks import files
from nagomi_tui.agents.hooks.plan import AGENTS
from nagomi_tui.commands import hooks
from nagomi_tui.system.console import READ_SECONDS
from tests.helpers.bare_terminal import BareTerminal


def nagomi(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "nagomi_tui", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=_env(home),
        timeout=60,
    )


def _env(home: Path) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "NAGOMI_HOME": str(home / "nagomi"),
        "LANG": "C.UTF-8",
        "NAGOMI_LANG": "en",
    }


def _ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def test_nothing_is_written_without_being_asked_for(tmp_path: Path) -> None:
    shown = nagomi(tmp_path, "hooks", "show", "--agent", "claude")
    assert shown.returncode == 0 and '+    "Stop": [' in shown.stdout
    refused = nagomi(tmp_path, "hooks", "install", "--agent", "claude")
    assert refused.returncode == 2 and "--yes" in refused.stderr
    assert not (tmp_path / ".claude").exists()


def test_in_and_out(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"model": "opus"}')
    assert nagomi(tmp_path, "hooks", "install", "--yes").returncode == 0
    found = json.loads(nagomi(tmp_path, "hooks", "status", "--json").stdout)
    stands = {each["agent"]: each["hooks"] for each in found}
    assert list(stands) == list(AGENTS)
    assert {name for name, one in stands.items() if one != "absent"} == {"claude"}
    checks = json.loads(nagomi(tmp_path, "doctor", "--json").stdout)["checks"]
    (check,) = [check for check in checks if check["key"] == "hooks_claude"]
    assert check["result"] == "ok"
    assert nagomi(tmp_path, "hooks", "remove", "--yes").returncode == 0
    assert path.read_text() == '{"model": "opus"}'


def test_the_mcp_server_is_registered_on_demand_and_goes_with_the_hooks(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    ours, theirs = tmp_path / ".claude.json", tmp_path / ".codex" / "config.toml"
    ours.write_text('{"numStartups": 1}')
    theirs.write_text('model = "o"\n')
    (tmp_path / ".claude").mkdir()
    assert "mcpServers" in nagomi(tmp_path, "hooks", "show").stdout
    assert nagomi(tmp_path, "hooks", "install", "--yes").returncode == 0
    assert ours.read_text() == '{"numStartups": 1}'
    done = nagomi(tmp_path, "hooks", "install", "--yes", "--mcp")
    assert done.returncode == 0 and "+[mcp_servers.nagomi]" in done.stdout
    found = json.loads(nagomi(tmp_path, "hooks", "status", "--json").stdout)
    assert {each["agent"]: each["mcp"] for each in found if "mcp" in each} == {
        "claude": "installed",
        "codex": "installed",
    }
    assert nagomi(tmp_path, "hooks", "remove", "--yes").returncode == 0
    assert (ours.read_text(), theirs.read_text()) == ('{"numStartups": 1}', 'model = "o"\n')


@pytest.mark.parametrize("answer", ["y", "n"])
def test_on_a_terminal_the_mcp_server_is_offered_after_the_hooks(
    tmp_path: Path, answer: str
) -> None:
    """What was typed before a question could be read agrees to nothing."""
    (tmp_path / ".claude").mkdir()
    registered, hooks = tmp_path / ".claude.json", tmp_path / ".claude" / "settings.json"
    argv = [sys.executable, "-P", "-m", "nagomi_tui", "hooks", "install"]
    with BareTerminal(argv, _env(tmp_path)) as terminal:
        terminal.type(b"y\nyes\n")
        for number, line in ((3, "y"), (4, answer)):
            while terminal.got.count(b"[y/N] ") < number:
                terminal.wait(b"[y/N] ")
                terminal.read_for(0.05)
            terminal.read_for(READ_SECONDS)
            assert hooks.exists() == (number == 4)
            terminal.type(line.encode() + b"\n")
        assert b"read all sessions" in terminal.got
        while terminal.read_for(0.1) and not _ended(terminal.pid):
            pass
    assert registered.exists() == (answer == "y")


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"model": ')
    done = nagomi(tmp_path, "hooks", "install", "--yes")
    assert done.returncode == 1 and str(path) in done.stderr and "broken" in done.stderr
    assert path.read_text() == '{"model": '


def test_what_is_written_is_cut_to_a_terminal_and_whole_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change = files.Change(path=Path("settings.json"), before=None, after="x" * 300)
    hooks.say_change(change)
    assert "x" * 300 in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(hooks, "terminal_width", lambda: 40)
    hooks.say_change(change)
    shown = capsys.readouterr().out.splitlines()
    assert max(map(len, shown[:-1])) == 40
    assert "| cat" in shown[-1]
