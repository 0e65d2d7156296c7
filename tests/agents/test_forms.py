"""Hooks that stand in a file of nagomi's own, in one for each event, or in some lines."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agents.hooks import files
from nagomi_tui.agents.hooks.formats import Unfit
from nagomi_tui.agents.hooks.plan import AGENTS, HookedAgent

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = [agent for agent in AGENTS.values() if agent.hooks.form == "file"]
LINES = [agent for agent in AGENTS.values() if agent.hooks.form == "lines"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "nagomi"))
    for variable in ("COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def install(agent: HookedAgent) -> list[Path]:
    for part in agent.parts:
        files.carry_out(files.install(part, project=False))
    return [part.path(project=False) for part in agent.parts]


def remove(agent: HookedAgent) -> None:
    for part in agent.parts:
        files.carry_out(files.remove(part, project=False))


@pytest.mark.parametrize("agent", [*WHOLE, *LINES], ids=lambda agent: str(agent.name))
def test_in_and_out_leaves_nothing(home: Path, agent: HookedAgent) -> None:
    assert files.status(agent, project=False) == "absent"
    paths = install(agent)
    assert files.status(agent, project=False) == "installed"
    assert all("$NAGOMI_EVENT" in path.read_text() for path in paths)
    assert all(files.install(part, project=False).is_none for part in agent.parts)
    assert len(files.left()) == len(paths)
    remove(agent)
    assert not any(path.exists() for path in paths)
    assert {entry.name for entry in home.iterdir()} == {"nagomi"}
    assert files.left() == []


@pytest.mark.parametrize("agent", WHOLE, ids=lambda agent: str(agent.name))
def test_a_file_of_somebody_else_stays(agent: HookedAgent) -> None:
    path = agent.parts[0].path(project=False)
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    for change in (files.install, files.remove, files.status):
        with pytest.raises(Unfit):
            change(agent.parts[0], project=False)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("agent", WHOLE, ids=lambda agent: str(agent.name))
def test_one_of_an_older_version_is_renewed(agent: HookedAgent) -> None:
    path = agent.parts[0].path(project=False)
    path.parent.mkdir(parents=True)
    path.write_text('old "$NAGOMI_EVENT"')
    assert files.status(agent, project=False) == "outdated"
    install(agent)
    assert files.status(agent, project=False) == "installed"
    remove(agent)
    assert not path.exists()


@pytest.mark.parametrize("agent", LINES, ids=lambda agent: str(agent.name))
@pytest.mark.parametrize("text", ["", "dark-mode: true\n", "# mine\nmodel: x"])
def test_lines_come_and_go_beside_others(agent: HookedAgent, text: str) -> None:
    path = agent.path(project=False)
    path.write_text(text)
    install(agent)
    assert path.read_text().startswith(text)
    remove(agent)
    assert path.read_text() == text
    install(agent)
    path.write_text(f"{path.read_text()}later: 1\n")
    assert files.status(agent, project=False) == "installed"
    remove(agent)
    assert path.read_text().replace("\n", "") == f"{text}later: 1".replace("\n", "")


@pytest.mark.parametrize("agent", LINES, ids=lambda agent: str(agent.name))
def test_a_command_of_the_user_s_stays_the_only_one(agent: HookedAgent) -> None:
    path = agent.path(project=False)
    path.write_text("notifications-command: beep\n")
    with pytest.raises(Unfit):
        files.install(agent, project=False)
    assert path.read_text() == "notifications-command: beep\n"


def test_files_are_what_their_readers_expect(home: Path) -> None:
    for agent in WHOLE:
        for path in install(agent):
            if path.suffix == ".json":
                hooks = json.loads(path.read_text())["hooks"]
                assert set(hooks) == set(agent.hooks.events)
            elif path.suffix == ".js" and (node := shutil.which("node")):
                module = home / "plugin.mjs"
                shutil.copy(path, module)
                subprocess.run([node, "--check", str(module)], check=True)
            elif not path.suffix:
                env = {"PATH": os.environ["PATH"]}
                done = subprocess.run([path], input=b"{}", capture_output=True, env=env, check=True)
                assert json.loads(done.stdout) == {"cancel": False}
