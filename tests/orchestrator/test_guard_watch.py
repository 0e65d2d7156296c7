"""What changes in a guarded project in discussion is noticed after a hook, told, and undone."""

from __future__ import annotations

import os
import shlex
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.guard.decide.documents import BlockedActions, Config, Mode, State
from nagomi_tui.guard.files.state import edit_config
from nagomi_tui.orchestrator.guard.unapproved import named
from nagomi_tui.review.git import Shadow
from nagomi_tui.system.console import READ_SECONDS
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.workplace import PATIENCE, create, until
from tests.orchestrator.test_guard import agent, guard_of, guarded, set_state

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from nagomi_tui.guard.files.project import Project
    from tests.helpers.workplace import Place

UNDO = [sys.executable, "-m", "nagomi_tui", "guard", "undo"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return guarded(tmp_path / "p", State())


def baseline(project: Project) -> Path:
    return Shadow(project.root, project.root / ".git").folder / "baseline"


def discussing(connection: Connection, project: Project) -> str:
    """Start an agent in a project; return its session once there is something to compare with."""
    made = agent(connection, project)
    until(baseline(project).exists)
    return made


def hook(connection: Connection, session: str, event: str) -> None:
    payload = {"hook_event_name": event, "tool_name": "Bash"}
    connection.send(messages.Hook(session=session, agent="claude", payload=payload, at=time.time()))


def noticed(connection: Connection, session: str) -> messages.GuardUnapproved:
    return connection.request(messages.GuardNoticed(id=0, session=session), timeout=PATIENCE)


@pytest.mark.parametrize("event", ["PostToolUse", "Stop"])
@pytest.mark.requirement("F-10")
@pytest.mark.requirement("D-55")
def test_a_change_in_discussion_is_noticed_and_undone_at_a_terminal(
    shared_place: Place, project: Project, event: str
) -> None:
    with shared_place.connect() as connection:
        made = discussing(connection, project)
        (project.root / "README").write_text("an agent's\n")
        (project.root / "new").write_text("password=hunter2hunter2\n")
        (project.root / "sessions/note.md").write_text("the guard's own folder\n")
        hook(connection, made, event)
        found = until(lambda: (now := noticed(connection, made)).change and now)
        assert found.paths == ("README", "new")
        assert {"-first", "+an agent's"} <= set(found.lines)
        assert "hunter2" not in "\n".join(found.lines)
        why = connection.request(messages.Why(id=0, session=made), timeout=PATIENCE)
        assert why.evidence_detail[-1].text == "README, new"
        assert "nobody approved" in why.meaning[-1]
        with BareTerminal([*UNDO, made], os.environ) as terminal:
            terminal.wait(b"Undo this?")
            terminal.read_for(READ_SECONDS)
            terminal.type(b"y\n")
            terminal.wait(b"Undone: README, new")
        assert (project.root / "README").read_text() == "first\n"
        assert not (project.root / "new").exists()
        assert noticed(connection, made).change == ""


@pytest.mark.requirement("F-10")
def test_it_is_told_by_name(shared_place: Place, project: Project) -> None:
    with shared_place.connect(front_end=True) as connection:
        made = discussing(connection, project)
        (project.root / "README").write_text("an agent's\n")
        hook(connection, made, "PostToolUse")
        pushed = connection.pushed(PATIENCE)
        told = next(one.text for one in pushed if isinstance(one, messages.Notice))
        assert "README" in told and "nobody approved" in told


@pytest.mark.requirement("F-10")
def test_what_may_be_written_and_what_was_approved_is_not_told(
    shared_place: Place, project: Project
) -> None:
    with edit_config(project) as editing:
        allowed = BlockedActions(discussion_allowed_paths=("notes",))
        editing.config = Config(blocked_actions=allowed)
    with shared_place.connect() as connection:
        made = discussing(connection, project)
        before = baseline(project).read_text()
        set_state(project, State(mode=Mode.IMPLEMENTATION))
        hook(connection, made, "UserPromptSubmit")
        until(lambda: (guard := guard_of(connection, made)) and guard.mode == "implementation")
        (project.root / "README").write_text("approved\n")
        set_state(project, State())
        hook(connection, made, "UserPromptSubmit")
        until(lambda: baseline(project).read_text() != before)
        (project.root / "notes").mkdir()
        (project.root / "notes/one").write_text("x")
        (project.root / "other").write_text("x")
        hook(connection, made, "PostToolUse")
        until(lambda: noticed(connection, made).paths == ("other",))


@pytest.mark.requirement("F-10")
def test_names_that_are_no_utf8_are_told_as_well_as_can_be() -> None:
    assert named(("caf\udce9", "a\x1bb")) == "caf?, a b"
    assert named(tuple("abcdefg")) == "a, b, c, d, e, … (7)"


@pytest.mark.requirement("DB-5")
def test_from_inside_of_a_session_nothing_is_undone(
    shared_place: Place, project: Project, tmp_path: Path
) -> None:
    with shared_place.connect() as connection:
        made = discussing(connection, project)
        (project.root / "README").write_text("an agent's\n")
        hook(connection, made, "PostToolUse")
        until(lambda: noticed(connection, made).change)
        with pytest.raises(RequestFailed, match="Only you can undo"):
            connection.request(messages.GuardUndo(id=0, session=made), timeout=PATIENCE)
        said = tmp_path / "said"
        command = shlex.join([*UNDO, made, "--yes"])
        create(connection, f"sh -c {shlex.quote(f'{command} >{said} 2>&1')}")
        until(lambda: said.exists() and "only the user may run" in said.read_text())
        assert (project.root / "README").read_text() == "an agent's\n"


@pytest.mark.requirement("F-10")
def test_switched_off_nothing_is_compared(shared_place: Place, project: Project) -> None:
    with shared_place.connect() as connection:
        off = messages.Settings(id=0, values={"guard_watch": False})
        connection.request(off, timeout=PATIENCE)
        try:
            made = agent(connection, project)
            until(lambda: guard_of(connection, made))
            (project.root / "README").write_text("an agent's\n")
            hook(connection, made, "PostToolUse")
            assert noticed(connection, made).change == ""
            assert not baseline(project).exists()
        finally:
            on = messages.Settings(id=0, values={"guard_watch": True})
            connection.request(on, timeout=PATIENCE)
