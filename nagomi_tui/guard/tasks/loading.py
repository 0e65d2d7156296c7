"""Makes a task the current one, and follows edits of its file (DC-38, D-42, D-60)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from nagomi_tui.guard.decide.documents import Protocol, State, Task
from nagomi_tui.guard.tasks import task_file
from nagomi_tui.guard.tasks.folder import (
    NoTask,
    holds,
    indexes,
    named,
    open_tasks,
    parts_of,
    read_task,
    tasks_folder,
)
from nagomi_tui.guard.tasks.task_file import README, TaskFile, usual_branch
from nagomi_tui.system import files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.guard.decide.events import Target
    from nagomi_tui.guard.files.project import Project

_RULE: Final = "=" * 60
_TASKS: Final = "sessions/tasks/"
_NOT_NOW: Final = '[Task Startup] A task is loaded only while its start is under way: the user begins it with "{phrase}".'


class Loaded(NamedTuple):
    """What a task does to the state, and what the agent is told."""

    state: State
    told: str


def startup_load(
    project: Project, given: str, cwd: str, state: State, now: str, phrase: str
) -> Loaded:
    """Make a task the current one; allowed once each time the user begins to start a task.

    Args:
        given: how the agent names it.
        now: the time, as the state keeps it.
        phrase: what the user says to begin a start.

    Raises:
        NoTask: there is no such task, or no start is under way.
    """
    if state.active_protocol is not Protocol.START or not state.api.startup_load:
        raise NoTask(_NOT_NOW.format(phrase=phrase))
    task, text = read_task(project, named(project, given, cwd))
    api = msgspec.structs.replace(state.api, startup_load=False)
    in_hand = taken(project, task, now)
    return Loaded(
        msgspec.structs.replace(state, current_task=in_hand, api=api), shown(project, task, text)
    )


def taken(project: Project, task: TaskFile, now: str, before: Task | None = None) -> Task:
    """Return a task as the state holds it; a subtask uses the branch of its parent task (D-60)."""
    whole = _whole(project, task)
    return msgspec.structs.replace(
        before or Task(started=now),
        name=task.name,
        file=task.file,
        branch=whole.branch or task.branch or None,
        status=task.status,
        created=task.created or None,
        updated=now,
        dependencies=task.dependencies,
        submodules=task.submodules or whole.submodules,
    )


def followed(
    project: Project, targets: Iterable[Target], state: State, now: str
) -> tuple[State, tuple[str, ...]]:
    """Return the state after an edit of the current task's file, and what to tell of it (D-42)."""
    before = state.current_task
    watched = f"{_TASKS}{before.file}"
    if before.file is None or not any(target.relative == watched for target in targets):
        return state, ()
    try:
        task, _ = read_task(project, before.file)
    except NoTask:
        return state, ()
    after = taken(project, task, now, before)
    names = ("name", "branch", "status", "submodules", "dependencies")
    changes = [
        f"{name}: {_said(getattr(before, name))} → {_said(getattr(after, name))}"
        for name in names
        if (getattr(before, name) or ()) != (getattr(after, name) or ())
    ]
    told = (
        (f"[Task] The file of the task in hand was changed ({'; '.join(changes)}).",)
        if changes
        else ()
    )
    return msgspec.structs.replace(state, current_task=after), told


def opening(project: Project, state: State, now: str) -> Loaded:
    """Return the text for a new session: the current task and its file, or the open tasks (DC-34)."""
    file = state.current_task.file
    if file is None:
        return Loaded(state, _overview(project))
    try:
        task, text = read_task(project, file)
    except NoTask as exc:
        return Loaded(state, f"[Task] {exc}\n{_overview(project)}")
    if task.status == "pending":
        text = _begun(project, task, text)
        task = msgspec.structs.replace(task, status="in-progress")
    in_hand = taken(project, task, now, state.current_task)
    return Loaded(msgspec.structs.replace(state, current_task=in_hand), shown(project, task, text))


def shown(project: Project, task: TaskFile, text: str) -> str:
    """Return the text that tells an agent of a task: its fields, then its file between two lines."""
    known = msgspec.json.format(msgspec.json.encode(task), indent=2).decode()
    notes = [*_of_whole(project, task), *_of_others(project, task), *_of_branch(project, task)]
    return "\n".join(["Current task:", known, *notes, _RULE, text.rstrip("\n"), _RULE])


def waits_for(project: Project, task: TaskFile) -> tuple[TaskFile, ...]:
    """Return the unfinished tasks that a task depends on."""
    wanted = {one.removeprefix(_TASKS).removesuffix(".md").strip("/") for one in task.dependencies}
    return tuple(
        one
        for one in open_tasks(project)
        if wanted & {one.name, one.file.removesuffix(".md"), one.file.removesuffix(f"/{README}")}
    )


def _whole(project: Project, task: TaskFile) -> TaskFile:
    """Return the parent task of a subtask; any other task itself."""
    if not task.is_part:
        return task
    try:
        return read_task(project, f"{task.file.rpartition('/')[0]}/{README}")[0]
    except NoTask:
        return task


def _begun(project: Project, task: TaskFile, text: str) -> str:
    """Set the status in a task's file to in progress; ignore a file that cannot be written."""
    new = task_file.changed(text, "status", "in-progress")
    if new != text:
        try:
            files.write(tasks_folder(project) / task.file, new.encode(), mode=0o644)
        except OSError:
            return text
    return new


def _of_whole(project: Project, task: TaskFile) -> list[str]:
    parts = parts_of(project, task)
    if not parts:
        return []
    still = [one.file for one in parts if one.is_open]
    said = f"Parts of {task.folder}: {len(parts) - len(still)} of {len(parts)} are done."
    if not still:
        return [f"[Directory Task] {said}"]
    return [
        f"[Directory Task] {said} All of them are worked at on one branch, which is not merged before "
        f"the last is done. Open: {', '.join(still)}"
    ]


def _of_others(project: Project, task: TaskFile) -> list[str]:
    before = waits_for(project, task)
    if not before:
        return []
    listed = ", ".join(f"{one.name} ({one.status})" for one in before)
    return [f"[Task Dependencies] These are to be done first, and are open: {listed}"]


def _of_branch(project: Project, task: TaskFile) -> list[str]:
    if _whole(project, task).branch or task.branch or not (usual := usual_branch(task.name)):
        return []
    return [f"[Task] Its file names no branch. By its kind that would be: {usual}"]


def _overview(project: Project) -> str:
    """Return the open tasks as text, grouped by index."""
    tasks = open_tasks(project)
    if not tasks:
        return "No task is in hand, and none is open in sessions/tasks."
    lines = ["No task is in hand. Open tasks:"]
    placed: set[str] = set()
    for index in indexes(project):
        mine = [one for one in tasks if holds(index, one)]
        placed |= {one.file for one in mine}
        lines += ["", f"## {index.name}", *map(_line, mine)] if mine else []
    rest = [one for one in tasks if one.file not in placed]
    lines += ["", "## Uncategorized", *map(_line, rest)] if rest else []
    return "\n".join(lines)


def _line(task: TaskFile) -> str:
    title = f" - {task.title}" if task.title else ""
    return f"- {task.file.removesuffix(f'/{README}')} ({task.status}){title}"


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value else "none"
