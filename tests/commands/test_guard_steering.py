"""`nagomi ls` tells how guards stand, and `nagomi guard stop` stops agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.decide.documents import Mode, State, Todo, Todos
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state, read_state
from nagomi_tui.system.outcome import Exit
from tests.helpers.guard_hook import install_hook
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.command import Commands

GOING = State(
    mode=Mode.IMPLEMENTATION,
    todos=Todos(active=(Todo(content="a", status="completed"), Todo(content="b"))),
)


def guarded(folder: Path) -> Project:
    """Make a guarded project whose agent may write."""
    folder.mkdir()
    install_hook(folder)
    (folder / "claude").symlink_to("/bin/cat")
    project = Project(folder.resolve())
    with edit_state(project) as editing:
        editing.state = GOING
    return project


@pytest.mark.requirement("F-10", "D-33")
def test_ls_tells_the_guard_and_stop_ends_what_was_allowed(
    nagomi: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(nagomi.home))
    projects = [guarded(tmp_path / name) for name in ("p", "q")]
    made = [nagomi.new("./claude", cwd=str(project.root)) for project in projects]
    # What they run says nothing by a hook, so nothing is known to guard them.
    until(lambda: nagomi.ok("ls").count("not heard") == 2)
    guards = [session["guard"] for session in nagomi.json("ls") if session["guard"]]
    assert [(one["mode"], one["done"], one["total"]) for one in guards] == [
        ("implementation", 1, 2)
    ] * 2
    assert set(guards[0]) == {"mode", "done", "total", "proposed", "protocol", "bypassed"}

    nagomi.ok("guard", "stop", made[0])
    assert [read_state(project).state.mode for project in projects] == [
        Mode.DISCUSSION,
        Mode.IMPLEMENTATION,
    ]
    assert "Stopped" in nagomi.ok("guard", "stop", "--all")
    assert {read_state(project).state.mode for project in projects} == {Mode.DISCUSSION}


@pytest.mark.requirement("D-33")
def test_stop_wants_to_know_whom(nagomi: Commands) -> None:
    nagomi.fails(Exit.USAGE, "guard", "stop")
    nagomi.fails(Exit.USAGE, "guard", "stop", "1", "--all")
    nagomi.fails(Exit.NO_SESSION, "guard", "stop", "nobody at all")
