"""Real agents that nagomi starts with a guard, in a folder where their settings hold no hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.install.hooks import GuardHooks
from tests.helpers.attacker import UNASKED
from tests.helpers.clients import ModelServer, Step, claude, codex, newest_claude
from tests.helpers.guard_hook import install_hook
from tests.helpers.repository import git
from tests.helpers.workplace import create, session, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.workplace import Place

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = pytest.mark.slow


@pytest.fixture
def place(module_place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The workplace of all tests here."""
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    return module_place


@pytest.mark.parametrize(
    ("start", "installed"),
    [
        pytest.param(newest_claude, False, id="claude"),
        pytest.param(newest_claude, True, id="claude, installed as well"),
        pytest.param(claude, False, id="old claude", marks=pytest.mark.variant),
        pytest.param(codex, False, id="codex"),
        pytest.param(codex, True, id="codex, installed as well"),
    ],
)
@pytest.mark.requirement("DB-4", "F-9")
def test_an_agent_is_guarded_wherever_nagomi_starts_it(
    place: Place, tmp_path: Path, start: Start, installed: bool
) -> None:
    """In a sub-folder of a repository, with settings at its root, where a client does not look."""
    deep = tmp_path / "p" / "deep"
    deep.mkdir(parents=True)
    git(tmp_path / "p", "init", "-q")
    (tmp_path / "p" / ".claude").mkdir()
    agent = "codex" if start is codex else "claude"
    if installed:
        install_hook(deep, agent)
    file = deep / "bad.txt"
    write = ("Write", {"file_path": str(file), "content": "x\n"})
    if start is codex:
        write = ("exec_command", {"cmd": f"touch {file}"})
    with ModelServer([Step("", (write,)), Step("I was refused.")]) as server:
        command, env = start(tmp_path / "home", deep, server.port)
        command = command.removesuffix(" --permission-mode default")
        unasked = " ".join(UNASKED[1:2]) if start is codex else "--permission-mode acceptEdits"
        with place.connect() as connection:
            made = create(
                connection,
                f"{command} {unasked} 'Write it.'",
                str(deep),
                env=env | {"NAGOMI_GUARD": "hook"},
            )
            until(lambda: len(server.requests) > 1)
            told = json.dumps(server.requests[-1])
            assert told.count("[DAIC") in (1, 2), told[-3000:]
            assert not file.exists()
            until(lambda: not session(connection, made)["guard_unheard"])
            assert session(connection, made)["guard"]["mode"] == "discussion"
    root = find(str(deep), {}).root
    assert root == (deep if installed else tmp_path / "p")
    assert (root / "sessions" / "sessions-state.json").is_file()
    assert not any((tmp_path / "p" / ".claude").iterdir())
    hooks = GuardHooks(agent, str(deep)).path(project=True)
    assert hooks.exists() is installed
