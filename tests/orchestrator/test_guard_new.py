"""A session is guarded in one step: hook, state and environment are there when it begins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.install.hooks import GuardHooks
from nagomi_tui.sessions.session import GuardStanding
from tests.helpers.workplace import PATIENCE, create, session, text_of, wait_for
from tests.orchestrator.test_guard import guard_of

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

HOOK = {"NAGOMI_GUARD": "hook"}


def wait_for_options(connection: Connection, made: str) -> list[str]:
    """Return the words that the program of `claude` was started with."""
    wait_for(connection, made, "words: .* end")
    return " ".join(text_of(connection, made).split()).split("words: ")[-1].split(" end")[0].split()


def claude(folder: Path) -> None:
    """Make a program that is called as the client, and tells its environment."""
    program = folder / "claude"
    program.write_text(
        '#!/bin/sh\necho "todos: $CLAUDE_CODE_ENABLE_TODO_TOOLS."\necho "words: $* end"\nexec cat\n'
    )
    program.chmod(0o755)


@pytest.mark.requirement("F-9")
def test_a_guarded_session_begins_with_hook_state_and_todo_tools(
    shared_place: Place, tmp_path: Path
) -> None:
    claude(tmp_path)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"model": "opus"}')
    with shared_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(tmp_path), env=HOOK)
        assert guard_of(connection, made) == GuardStanding()
        assert session(connection, made)["guard_unheard"] is True  # This one runs no hooks.
        wait_for(connection, made, "todos: 1.")
        option, path = wait_for_options(connection, made)
        assert option == "--settings" and str(shared_place.home) in path
        assert (tmp_path / ".claude/settings.json").read_text() == '{"model": "opus"}'
        given = json.loads(Path(path).read_text())
        assert set(given["hooks"]) == set(GuardHooks("claude", str(tmp_path)).events)
        assert given["disableAllHooks"] is False
        assert Project(tmp_path.resolve()).state_file.is_file()
        assert not (tmp_path / ".codex").exists()

        connection.request(messages.Restart(id=0, session=made), timeout=PATIENCE)
        wait_for(connection, made, "todos: 1.")
        assert wait_for_options(connection, made) == [option, path]
        again = create(connection, "./claude", cwd=str(tmp_path), env=HOOK)
        wait_for(connection, again, "todos: 1.")


@pytest.mark.requirement("F-9")
def test_without_a_guard_nothing_is_set_up(shared_place: Place, tmp_path: Path) -> None:
    claude(tmp_path)
    with shared_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(tmp_path))
        wait_for(connection, made, "todos: .")
        assert session(connection, made)["guard"] is None
        assert "todos: 1" not in text_of(connection, made)
    assert {path.name for path in tmp_path.iterdir()} == {"claude"}


@pytest.mark.parametrize(
    ("command", "env", "said"),
    [
        ("./claude --settings missing.json", HOOK, "missing.json"),
        ("./claude --settings $FILE", HOOK, "name the file itself"),
        ("./codex -c 'hooks.Stop=[]'", HOOK, "take the place of the guard"),
        ("sh", HOOK, "nagomi guard install"),
        ("./claude", {"NAGOMI_GUARD": "maybe"}, "There is no guard `maybe`"),
    ],
)
@pytest.mark.requirement("DB-4")
def test_what_cannot_be_guarded_is_not_started(
    shared_place: Place, tmp_path: Path, command: str, env: dict[str, str], said: str
) -> None:
    claude(tmp_path)
    with shared_place.connect() as connection:
        with pytest.raises(RequestFailed, match=said):
            create(connection, command, cwd=str(tmp_path), env=env)
        listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE)
        assert listed.sessions == ()
