"""Task files: their heads, their names, the folder that they are in, and how one comes in hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from nagomi_tui.guard.decide.documents import Protocol, State, Task, Windows
from nagomi_tui.guard.decide.events import Target
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.tasks import task_file
from nagomi_tui.guard.tasks import task_file as front
from nagomi_tui.guard.tasks.folder import (
    NoTask,
    broken,
    followed,
    indexes,
    listed,
    named,
    open_tasks,
    opening,
    startup_load,
)

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-11-23T00:00:00+00:00"
STARTING = State(active_protocol=Protocol.START, api=Windows(startup_load=True))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "sessions" / "tasks").mkdir(parents=True)
    return Project(tmp_path)


def _write(project: Project, file: str, head: str = "", body: str = "# Title\n") -> None:
    path = project.sessions / "tasks" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{head}---\n{body}" if head else body)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("status: done # at last", "done"),
        ("status: 'a # b' # c", "a # b"),
        ('status: "x: y"', "x: y"),
        ("status:", ""),
        ("status: a#b", "a#b"),
        ("status: [a, 'b c', ] # d", ("a", "b c")),
        ("status: []", ()),
        ("status:\n- a\n  - b # x", ("a", "b")),
        ("status: https://example.org/x", "https://example.org/x"),
    ],
)
@pytest.mark.requirement("DB-18", "DC-39")
def test_a_head_is_read_as_it_is_written(line: str, value: front.Value) -> None:
    assert front.parse(f"---\n{line}\n---\nbody").values["status"] == value


@pytest.mark.requirement("DC-39")
def test_a_file_without_a_head_is_all_text() -> None:
    for text in ("# Title\n", "---\nnever closed\n", "", "text\n---\nstatus: x\n---\n"):
        assert front.parse(text) == front.Front({}, text)
        assert front.changed(text, "status", "x") == text


@pytest.mark.requirement("DC-39")
def test_lines_may_end_as_on_windows() -> None:
    text = "---\nstatus: done\n---\n# Title\n## Success Criteria\n- [x] a\n- [ ] b\n"
    found = task_file.read("h-fix-a.md", "\ufeff" + text.replace("\n", "\r\n"))
    assert (found.title, found.status, found.criteria) == ("Title", "completed", (1, 2))


@pytest.mark.requirement("DC-39")
def test_files_that_are_wrong_are_named(project: Project) -> None:
    _write(project, "h-fix-a.md", "status: pending\n")
    _write(project, "h-fix-open.md", body="---\nstatus: pending\n# Title\n")
    _write(project, "big/README.md", "status: pending\n")
    (project.sessions / "tasks" / "big" / "01-a.md").write_bytes(b"\xff")
    assert broken(project) == (("big/01-a.md", False), ("h-fix-open.md", True))


@pytest.mark.requirement("DC-39")
def test_a_change_touches_one_line() -> None:
    text = "---\r\nname: x\r\nstatus: pending  # soon\r\n---\r\nstatus: pending\r\n"
    new = front.changed(text, "status", "in-progress")
    assert new == "---\r\nname: x\r\nstatus: in-progress  # soon\r\n---\r\nstatus: pending\r\n"
    assert front.changed("---\na: b\n---\n", "status", "x") == "---\na: b\nstatus: x\n---\n"


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("complete", "completed"),
        ("Done", "completed"),
        ("in_progress", "in-progress"),
        ("in progress", "in-progress"),
        ("blocked", "blocked"),
        ("", "pending"),
        ("whatever", "pending"),
    ],
)
@pytest.mark.requirement("DB-18")
def test_states_of_tasks_are_known_however_they_are_written(written: str, status: str) -> None:
    assert task_file.status_of(written) == status


@pytest.mark.parametrize(
    ("name", "branch"),
    [
        ("h-implement-login", "feature/login"),
        ("m-refactor-a-b", "feature/a-b"),
        ("l-fix-x", "fix/x"),
        ("?-experiment-y", "experiment/y"),
        ("h-research-z", "none"),
        ("notes", ""),
    ],
)
@pytest.mark.requirement("DC-39")
def test_a_name_tells_weight_kind_and_branch(name: str, branch: str) -> None:
    assert task_file.usual_branch(name) == branch
    task = task_file.read(f"{name}.md", "# T\n")
    assert bool(task.priority) == bool(branch) and task.title == "T"


@pytest.mark.requirement("D-60", "DB-18")
def test_the_folder_is_read_with_parts_and_without_what_is_no_task(
    project: Project,
) -> None:
    _write(project, "h-fix-a.md", "status: pending\n")
    _write(project, "TEMPLATE.md", "status: pending\n")
    _write(project, "l-docs-b.md", "status: completed\n")
    _write(project, "h-implement-big/README.md", "branch: feature/big\n")
    _write(project, "h-implement-big/01-first.md", "status: done\n")
    _write(project, "h-implement-big/02-second.md", "status: pending\n")
    _write(project, "no-task/notes.md")
    _write(project, "done/h-fix-old.md", "status: completed\n")
    _write(project, "indexes/core.md", "index: core\nname: Core\n", "- `h-fix-a.md` - it\n")
    (project.sessions / "tasks" / "broken.md").write_bytes(b"\xff\xfe")
    assert [(one.file, one.is_part) for one in listed(project)] == [
        ("h-fix-a.md", False),
        ("h-implement-big/README.md", False),
        ("h-implement-big/01-first.md", True),
        ("h-implement-big/02-second.md", True),
        ("l-docs-b.md", False),
    ]
    assert [one.name for one in open_tasks(project)] == ["h-fix-a", "h-implement-big"]
    assert [one.name for one in indexes(project)] == ["Core"]


@pytest.mark.parametrize(
    "given",
    ["h-fix-a", "h-fix-a.md", "@h-fix-a.md", "sessions/tasks/h-fix-a.md", "{root}/sessions/tasks/h-fix-a.md", "tasks/h-fix-a.md"],
)  # fmt: skip
@pytest.mark.requirement("DC-38")
def test_a_task_may_be_named_in_several_ways(project: Project, given: str) -> None:
    _write(project, "h-fix-a.md")
    cwd = str(project.sessions)
    assert named(project, given.replace("{root}", str(project.root)), cwd) == "h-fix-a.md"


@pytest.mark.requirement("DC-38", "D-60")
def test_a_folder_is_named_by_its_name(project: Project) -> None:
    _write(project, "big/README.md")
    _write(project, "big/01-a.md")
    assert named(project, "big/", "/") == "big/README.md"
    assert named(project, "big/01-a", "/") == "big/01-a.md"


@pytest.mark.parametrize(
    "given",
    ["", "@", "nothing", "../../secret.md", "link.md", "a\0b", ".", "indexes/a", "TEMPLATE"],
)
@pytest.mark.requirement("DC-38")
def test_what_is_no_task_of_the_project_is_not_loaded(project: Project, given: str) -> None:
    _write(project, "indexes/a.md")
    _write(project, "TEMPLATE.md")
    (project.root / "secret.md").write_text("secret")
    (project.sessions / "tasks" / "link.md").symlink_to(project.root / "secret.md")
    with pytest.raises(NoTask):
        named(project, given, str(project.root))


@pytest.mark.requirement("DC-38")
def test_a_task_is_loaded_once(project: Project) -> None:
    _write(project, "h-fix-a.md", "branch: fix/a\nstatus: pending\nsubmodules: [lib]\n")
    state, told = startup_load(project, "h-fix-a", "/", STARTING, NOW, "start^")
    task = state.current_task
    assert (task.branch, task.submodules, task.started) == ("fix/a", ("lib",), NOW)
    assert not state.api.startup_load and f"{'=' * 60}\n---\nbranch: fix/a" in told
    for closed in (state, State(), State(api=Windows(startup_load=True))):
        with pytest.raises(NoTask, match="start\\^"):
            startup_load(project, "h-fix-a", "/", closed, NOW, "start^")


@pytest.mark.requirement("D-60")
def test_a_part_is_worked_at_on_the_branch_of_its_whole(project: Project) -> None:
    _write(project, "big/README.md", "branch: feature/big\nsubmodules: [lib]\n")
    _write(project, "big/01-a.md", "branch: feature/other\nstatus: completed\n")
    _write(project, "big/02-b.md", "status: pending\n")
    state, told = startup_load(project, "big/01-a", "/", STARTING, NOW, "start^")
    assert (state.current_task.branch, state.current_task.submodules) == ("feature/big", ("lib",))
    assert "1 of 2 are done" in told and "not merged" in told and "big/02-b.md" in told


@pytest.mark.requirement("DC-1")
def test_open_dependencies_are_told(project: Project) -> None:
    _write(project, "h-fix-a.md", "dependencies:\n  - h-fix-b\n  - h-fix-c\n")
    _write(project, "h-fix-b.md", "status: in-progress\n")
    _write(project, "h-fix-c.md", "status: completed\n")
    state, told = startup_load(project, "h-fix-a", "/", STARTING, NOW, "start^")
    assert state.current_task.dependencies == ("h-fix-b", "h-fix-c")
    assert "to be done first, and are open: h-fix-b (in-progress)\n" in told


@pytest.mark.requirement("D-42")
def test_edits_of_the_tasks_file_are_followed(project: Project) -> None:
    _write(project, "h-fix-a.md", "branch: fix/a\nstatus: in-progress\n")
    state = State(
        current_task=Task(
            name="h-fix-a", file="h-fix-a.md", branch="fix/a", status="in-progress", started="then"
        )
    )
    edited = (Target("x", "inside", "sessions/tasks/h-fix-a.md"),)
    same, told = followed(project, edited, state, NOW)
    assert told == () and same.current_task.updated == NOW
    _write(project, "h-fix-a.md", "branch: fix/b\nstatus: completed\nsubmodules: [lib]\n")
    new, told = followed(project, edited, state, NOW)
    assert (new.current_task.branch, new.current_task.started) == ("fix/b", "then")
    assert told == (
        "[Task] The file of the task in hand was changed "
        "(branch: fix/a → fix/b; status: in-progress → completed; submodules: none → lib).",
    )
    elsewhere = (Target("x", "inside", "sessions/tasks/h-fix-b.md"),)
    assert followed(project, elsewhere, state, NOW) == (state, ())
    (project.sessions / "tasks" / "h-fix-a.md").unlink()
    assert followed(project, edited, state, NOW) == (state, ())


@pytest.mark.requirement("DC-34")
def test_a_session_begins_with_the_task_in_hand(project: Project) -> None:
    _write(project, "h-fix-a.md", "branch: fix/a\nstatus: pending # soon\n", "# Mend\n")
    state = State(current_task=Task(name="h-fix-a", file="h-fix-a.md"))
    new, told = opening(project, state, NOW)
    assert new.current_task.status == "in-progress"
    text = (project.sessions / "tasks" / "h-fix-a.md").read_text()
    assert "status: in-progress # soon" in text and text in told
    assert told.startswith("Current task:\n{") and told.endswith("=" * 60)
    gone = msgspec.structs.replace(state, current_task=Task(file="gone.md"))
    assert "cannot be read" in opening(project, gone, NOW).told


@pytest.mark.requirement("DC-34")
def test_without_a_task_the_open_ones_are_listed_by_index(project: Project) -> None:
    assert "none is open" in opening(project, State(), NOW).told
    _write(project, "h-fix-a.md")
    _write(project, "h-fix-b.md", "status: blocked\n")
    _write(project, "big/README.md")
    _write(project, "indexes/core.md", "name: Core\n", "- `h-fix-a.md` - it\n- `big/` - all\n")
    assert opening(project, State(), NOW).told == (
        "No task is in hand. Open tasks:\n\n"
        "## Core\n- big (pending) - Title\n- h-fix-a.md (pending) - Title\n\n"
        "## Uncategorized\n- h-fix-b.md (blocked) - Title"
    )
