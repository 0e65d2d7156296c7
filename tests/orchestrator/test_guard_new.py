"""A session is guarded in one step: hook, state and environment are there when it begins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent_hooks import files
from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.core.session.session import GuardStanding
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.install.hook_set import GuardHooks
from tests.helpers.workplace import PATIENCE, create, session, text_of, wait_for
from tests.orchestrator.test_guard import guard_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.workplace import Place

HOOK = {"NAGOMI_GUARD": "hook"}


def claude(folder: Path) -> None:
    """Make a program that is called as the client, and tells its environment."""
    program = folder / "claude"
    program.write_text('#!/bin/sh\necho "todos: $CLAUDE_CODE_ENABLE_TODO_TOOLS."\nexec cat\n')
    program.chmod(0o755)


def test_f9_a_guarded_session_begins_with_hook_state_and_todo_tools(
    shared_place: Place, tmp_path: Path
) -> None:
    claude(tmp_path)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"model": "opus"}')
    with shared_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(tmp_path), env=HOOK)
        assert guard_of(connection, made) == GuardStanding()
        wait_for(connection, made, "todos: 1.")
        hooks = GuardHooks("claude", str(tmp_path.resolve()))
        assert files.status(hooks, project=True) == "installed"
        settings = json.loads((tmp_path / ".claude/settings.json").read_text())
        assert settings["model"] == "opus" and "PreToolUse" in settings["hooks"]
        assert Project(tmp_path.resolve()).state_file.is_file()
        assert not (tmp_path / ".codex").exists()

        connection.request(messages.Restart(id=0, session=made), timeout=PATIENCE)
        wait_for(connection, made, "todos: 1.")
        again = create(connection, "./claude", cwd=str(tmp_path), env=HOOK)
        wait_for(connection, again, "todos: 1.")


def test_f9_without_a_guard_nothing_is_set_up(shared_place: Place, tmp_path: Path) -> None:
    claude(tmp_path)
    with shared_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(tmp_path))
        wait_for(connection, made, "todos: .")
        assert session(connection, made)["guard"] is None
        assert "todos: 1" not in text_of(connection, made)
    assert {path.name for path in tmp_path.iterdir()} == {"claude"}


@pytest.mark.parametrize(
    ("settings", "env", "said"),
    [
        ("{ broken", HOOK, "settings.json"),
        ("{}", {"NAGOMI_GUARD": "maybe"}, "There is no guard `maybe`"),
    ],
)
def test_db4_what_cannot_be_guarded_is_not_started(
    shared_place: Place, tmp_path: Path, settings: str, env: dict[str, str], said: str
) -> None:
    claude(tmp_path)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(settings)
    with shared_place.connect() as connection:
        with pytest.raises(RequestFailed, match=said):
            create(connection, "./claude", cwd=str(tmp_path), env=env)
        listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE)
        assert listed.sessions == ()
    assert (tmp_path / ".claude/settings.json").read_text() == settings
