"""Sessions in guarded projects tell how their guard stands, and are stopped from outside."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import pytest

from nagomi_tui.agents.hooks import files
from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.guard.decide.documents import Mode, Own, State, Todo, Todos
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import (
    SECONDS,
    edit_state,
    held,
    read_state,
    remove_seal,
    write_seal,
)
from nagomi_tui.guard.install.hooks import GuardHooks
from nagomi_tui.orchestrator.guard.watch import GuardedFolder
from nagomi_tui.sessions.session import GuardStanding
from tests.helpers.guard_hook import install_hook
from tests.helpers.repository import git, repository
from tests.helpers.workplace import PATIENCE, create, until

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

DONE = (Todo(content="read", status="completed"), Todo(content="write"))


def guarded(folder: Path, state: State) -> Project:
    """Make a guarded project with a program that is called as an agent."""
    repository(folder, README="first\n")
    install_hook(folder)
    (folder / "claude").symlink_to("/bin/cat")
    project = Project(folder.resolve())
    set_state(project, state)
    return project


def set_state(project: Project, state: State) -> None:
    with edit_state(project) as editing:
        editing.state = state


def agent(connection: Connection, project: Project) -> str:
    return create(connection, "./claude", cwd=str(project.root))


def guard_of(connection: Connection, session: str) -> GuardStanding | None:
    found = connection.request(messages.Find(id=0, session=session), timeout=PATIENCE)
    return found.session.guard


@pytest.mark.requirement("F-10")
def test_a_session_tells_mode_todos_and_protocol(shared_place: Place, tmp_path: Path) -> None:
    project = guarded(tmp_path / "p", State(mode=Mode.IMPLEMENTATION, todos=Todos(active=DONE)))
    with shared_place.connect() as connection:
        made, other = agent(connection, project), create(connection, "cat", cwd=str(project.root))
        want = GuardStanding(mode="implementation", done=1, total=2)
        until(lambda: guard_of(connection, made) == want)
        set_state(project, State().with_own(Own(proposal=("a", "b", "c"))))
        until(lambda: guard_of(connection, made) == GuardStanding(proposed=3))
        project.state_file.write_text("broken")
        until(lambda: guard_of(connection, made) == GuardStanding())
        assert guard_of(connection, other) is None


@pytest.mark.requirement("F-10")
def test_a_state_that_the_guard_did_not_write_is_shown_as_discussion(
    shared_place: Place, tmp_path: Path
) -> None:
    project = guarded(tmp_path / "p", State(mode=Mode.IMPLEMENTATION, todos=Todos(active=DONE)))
    data = project.state_file.read_bytes()
    project.state_file.write_bytes(data.replace(b"write", b"wrote"))
    with shared_place.connect() as connection:
        made = agent(connection, project)
        until(lambda: guard_of(connection, made) == GuardStanding())


@pytest.mark.requirement("D-33")
def test_one_session_and_all_are_stopped(shared_place: Place, tmp_path: Path) -> None:
    going = State(mode=Mode.IMPLEMENTATION, todos=Todos(active=DONE, stashed=DONE))
    projects = [guarded(tmp_path / name, going) for name in "abc"]
    with shared_place.connect() as connection:
        made = [agent(connection, project) for project in projects]
        stop = messages.GuardStop(id=0, session=made[0])
        assert connection.request(stop, timeout=PATIENCE).faults == ()
        modes = [read_state(project).state.mode for project in projects]
        assert modes == [Mode.DISCUSSION, Mode.IMPLEMENTATION, Mode.IMPLEMENTATION]
        done = connection.request(messages.GuardStop(id=0), timeout=PATIENCE)
        assert (len(done.sessions), done.faults) == (3, ())
        states = [read_state(project).state for project in projects]
        assert {state.mode for state in states} == {Mode.DISCUSSION}
        assert all(not state.todos.active and state.todos.stashed == DONE for state in states)
        assert guard_of(connection, made[2]) == GuardStanding()


@pytest.mark.requirement("D-33")
def test_a_stop_waits_for_a_hook_that_holds_the_lock_for_long(
    shared_place: Place, tmp_path: Path
) -> None:
    project = guarded(tmp_path / "p", State(mode=Mode.IMPLEMENTATION, todos=Todos(active=DONE)))
    with shared_place.connect() as connection, ExitStack() as lock:
        made = agent(connection, project)
        until(lambda: guard_of(connection, made))
        lock.enter_context(held(project.lock_file))
        hook = threading.Timer(1.5 * SECONDS, lock.close)
        hook.start()
        connection.request(messages.GuardStop(id=0, session=made), timeout=PATIENCE)
        hook.join()
        assert read_state(project).state.mode is Mode.DISCUSSION


async def test_a_look_that_is_under_way_makes_no_guard_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = guarded(tmp_path / "p", State())
    folder = GuardedFolder(str(project.root))
    read, seen = folder._read, threading.Event()

    def slowly() -> Any:
        seen.set()
        time.sleep(0.2)
        return read()

    monkeypatch.setattr(folder, "_read", slowly)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(folder.look)
        await anyio.to_thread.run_sync(seen.wait)
        await folder.look()
        assert folder.project is None
        await folder.look(PATIENCE)
        assert folder.project == project


@pytest.mark.requirement("F-10")
def test_the_proposal_is_shown_beside_what_is_approved(shared_place: Place, tmp_path: Path) -> None:
    state = State(todos=Todos(active=DONE)).with_own(Own(proposal=("write", "more")))
    project = guarded(tmp_path / "p", state)
    with shared_place.connect() as connection:
        made = agent(connection, project)
        shown = connection.request(messages.GuardShow(id=0, session=made), timeout=PATIENCE)
        assert (shown.mode, shown.project) == ("discussion", str(project.root))
        assert shown.proposal == shown.offered == ("write", "more")
        assert [todo.content for todo in shown.todos] == ["read", "write"]


@pytest.mark.requirement("F-10")
def test_back_to_discussion_the_todos_stay(shared_place: Place, tmp_path: Path) -> None:
    project = guarded(tmp_path / "p", State(mode=Mode.IMPLEMENTATION, todos=Todos(active=DONE)))
    with shared_place.connect() as connection:
        made = agent(connection, project)
        connection.request(messages.GuardDiscuss(id=0, session=made), timeout=PATIENCE)
    state = read_state(project).state
    assert (state.mode, state.todos.active) == (Mode.DISCUSSION, DONE)


@pytest.mark.requirement("F-10")
def test_the_changes_of_the_project_are_shown_masked_and_bounded(
    shared_place: Place, tmp_path: Path
) -> None:
    project = guarded(tmp_path / "p", State())
    (project.root / "README").write_text("second\npassword=hunter2hunter2\n")
    (project.root / "new.txt").write_text("x")
    git(project.root, "config", "diff.external", "touch ran; false")
    with shared_place.connect() as connection:
        made = agent(connection, project)
        ask = messages.GuardDiff(id=0, session=made)
        found = connection.request(ask, timeout=PATIENCE)
        assert found.fault == "" and "+++ b/new.txt" in found.lines
        assert {"-first", "+second"} <= set(found.lines)
        assert "hunter2" not in "\n".join(found.lines)
        assert not (project.root / "ran").exists()
        (project.root / "README").write_text("line\n" * 5000)
        found = connection.request(ask, timeout=PATIENCE)
        assert len(found.lines) == 2000 and found.left_out > 2900


@pytest.mark.requirement("F-10")
def test_of_what_is_no_repository_git_s_word_is_told(shared_place: Place, tmp_path: Path) -> None:
    (tmp_path / "claude").symlink_to("/bin/cat")
    install_hook(tmp_path)
    set_state(project := Project(tmp_path.resolve()), State())
    with shared_place.connect() as connection:
        made = agent(connection, project)
        found = connection.request(messages.GuardDiff(id=0, session=made), timeout=PATIENCE)
        assert "is in no git repository" in found.fault


@pytest.mark.requirement("F-10")
def test_a_session_without_a_guard_says_how_it_gets_one(
    shared_place: Place, tmp_path: Path
) -> None:
    with shared_place.connect() as connection:
        made = create(connection, "cat", cwd=str(tmp_path))
        with pytest.raises(RequestFailed, match="nagomi guard install"):
            connection.request(messages.GuardShow(id=0, session=made), timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.requirement("F-10")
def test_without_the_hook_a_state_is_a_mere_file(shared_place: Place, tmp_path: Path) -> None:
    """As in a project of cc-sessions, or once the guard was taken out."""
    project = guarded(tmp_path / "p", State(mode=Mode.IMPLEMENTATION))
    hooks = GuardHooks("claude", str(project.root))
    with shared_place.connect() as connection:
        made = agent(connection, project)
        until(lambda: guard_of(connection, made))
        files.carry_out(files.remove(hooks, project=True))
        until(lambda: guard_of(connection, made) is None)
        files.carry_out(files.install(hooks, project=True))
        until(lambda: guard_of(connection, made))


@pytest.mark.requirement("F-10")
def test_a_state_is_read_again_once_its_seal_is_there(shared_place: Place, tmp_path: Path) -> None:
    """The seal is written a moment after the state."""
    project = guarded(tmp_path / "p", State(mode=Mode.IMPLEMENTATION, todos=Todos(active=DONE)))
    data = project.state_file.read_bytes()
    remove_seal(project)
    with shared_place.connect() as connection:
        made = agent(connection, project)
        until(lambda: guard_of(connection, made) == GuardStanding())
        write_seal(project, data)
        want = GuardStanding(mode="implementation", done=1, total=2)
        until(lambda: guard_of(connection, made) == want)
