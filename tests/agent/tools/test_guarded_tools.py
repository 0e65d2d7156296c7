"""The resident agent's tools go through the guard's decisions, as any agent's do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent.tools.interface import Workplace
from nagomi_tui.guard.decide.documents import Mode, State, Todo, Todos
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state
from tests.helpers.guard_hook import install_hook
from tests.helpers.toolboxes import User, box, use
from tests.helpers.workplace import Place, create, session, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

GOING = State(mode=Mode.IMPLEMENTATION, todos=Todos(active=(Todo(content="write"),)))


def guarded(folder: Path, state: State) -> Project:
    """Make the folder a guarded project."""
    install_hook(folder)
    project = Project(folder.resolve())
    with edit_state(project) as editing:
        editing.state = state
    return project


@pytest.mark.requirement("X-19")
def test_in_discussion_no_file_of_the_project_is_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("before")
    project = guarded(tmp_path, State())
    tools = box(tmp_path, User("once"))
    for name, given in (
        ("write_file", {"path": "a", "text": "x"}),
        ("write_file", {"path": "new", "text": "x"}),
        ("edit_file", {"path": "a", "old": "before", "new": "x"}),
    ):
        result = use(tools, name, **given)
        assert not result.ok and "You're in discussion mode" in result.text
    assert (tmp_path / "a").read_text() == "before" and not (tmp_path / "new").exists()
    with edit_state(project) as editing:
        editing.state = GOING
    assert use(tools, "write_file", path="a", text="after").ok


@pytest.mark.parametrize("state", [State(), GOING])
@pytest.mark.requirement("DB-5")
def test_the_guard_s_own_files_are_never_written(tmp_path: Path, state: State) -> None:
    guarded(tmp_path, state)
    tools = box(tmp_path, User("once"))
    for path in ("sessions/sessions-state.json", ".claude/settings.json"):
        result = use(tools, "write_file", path=path, text="{}")
        assert not result.ok and "[Security]" in result.text


@pytest.mark.requirement("DB-4")
def test_a_guard_that_cannot_be_read_denies(tmp_path: Path) -> None:
    guarded(tmp_path, GOING).config_file.write_text("{")
    result = use(box(tmp_path, User("once")), "write_file", path="a", text="x")
    assert not result.ok and "cannot be read" in result.text


@pytest.mark.requirement("X-19")
def test_each_prompt_to_an_agent_in_discussion_is_asked_about(
    module_place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    guarded(tmp_path, State())
    (tmp_path / "claude").symlink_to("/bin/cat")
    with module_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(tmp_path))
        until(lambda: session(connection, made)["guard"])
        user = User("conversation")
        tools = box(tmp_path, user, workplace=Workplace())
        for text in ("look at x", "look at y"):
            assert use(tools, "send_to_session", session=made, text=text).ok
        assert [question.risk for question in user.asked] == ["high", "high"]
        wait_for(connection, made, "look at y")
        refused = use(tools, "send_to_session", session=made, text="yert")
        assert not refused.ok and "only you type there" in refused.text


def test_the_guard_is_read_and_put_back_but_never_lifted_by_tools(
    module_place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    project = guarded(tmp_path, GOING)
    (tmp_path / "claude").symlink_to("/bin/cat")
    with module_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(tmp_path))
        until(lambda: session(connection, made)["guard"])
        user = User("once")
        tools = box(tmp_path, user, workplace=Workplace())
        assert '"write"' in use(tools, "guard_show", session=made).text
        assert use(tools, "guard_discuss", session=made).ok
        assert user.asked and "back into discussion" in user.asked[-1].title
        with edit_state(project) as editing:
            assert editing.state.mode is Mode.DISCUSSION
        assert not any("approve" in schema.name for schema in tools.schemas)
