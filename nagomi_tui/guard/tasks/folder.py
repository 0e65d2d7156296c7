"""Reads the folder `sessions/tasks`: the tasks, which of them are open, and the indexes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from nagomi_tui.guard.decide.documents import Protocol, State, Task
from nagomi_tui.guard.decide.events import Target
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.tasks import task_file
from nagomi_tui.guard.tasks.task_file import README, TaskFile, is_open_ended, parse, usual_branch
from nagomi_tui.system import files

LARGEST: Final = 1024 * 1024
"""Bytes of the largest task that is read."""
_MOST: Final = 2000
"""Most files of one folder that are looked at."""
_NO_TASKS: Final = frozenset({"done", "indexes"})
_NO_TASK_FILES: Final = frozenset({"template.md", "readme.md"})
_ENTRY: Final = re.compile(r"^\s*[-*]\s+`(?P<file>[^`]+)`", re.MULTILINE)


class NoTask(ValueError):
    """What was named is no task of the project; the message says why."""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """A list of tasks that belong together."""

    file: str
    name: str
    description: str = ""
    tasks: tuple[str, ...] = ()
    """As the index names them."""


def tasks_folder(project: Project) -> Path:
    """Return the folder of a project's tasks."""
    return project.sessions / "tasks"


def listed(project: Project) -> tuple[TaskFile, ...]:
    """Return the tasks that are not archived, each followed by its parts; a broken file is left out."""
    folder = tasks_folder(project)
    found: list[TaskFile] = []
    for name in _names(folder):
        if (folder / name).is_dir():
            if name not in _NO_TASKS:
                found += _read_all(folder, (f"{name}/{part}" for part in _parts(folder / name)))
        elif name.endswith(".md") and name.casefold() not in _NO_TASK_FILES:
            found += _read_all(folder, [name])
    return tuple(found)


def broken(project: Project) -> tuple[tuple[str, bool], ...]:
    """Return the files that are wrong, each with whether it is read at all.

    One that is read has a head without an end, of which nothing counts.
    """
    folder, found = tasks_folder(project), []
    for name in _names(folder):
        inner = _parts(folder / name) if name not in _NO_TASKS else ()
        for file in (name, *(f"{name}/{part}" for part in inner)):
            if file.endswith(".md") and (folder / file).is_file():
                text = _text_or_none(folder / file)
                found += [(file, text is not None)] if text is None or is_open_ended(text) else []
    return tuple(found)


def open_tasks(project: Project) -> tuple[TaskFile, ...]:
    """Return the open tasks, without subtasks."""
    return tuple(one for one in listed(project) if one.is_open and not one.is_part)


def parts_of(project: Project, task: TaskFile) -> tuple[TaskFile, ...]:
    """Return the subtasks in a task's folder (D-60); none for a task without a folder."""
    if not task.folder:
        return ()
    return tuple(one for one in listed(project) if one.is_part and one.folder == task.folder)


def indexes(project: Project) -> tuple[Index, ...]:
    """Return the indexes by their files' names; a broken one is left out."""
    folder, found = tasks_folder(project) / "indexes", []
    for name in _names(folder):
        if name.endswith(".md"):
            text = _text(folder / name)
            front = parse(text)
            index = Index(
                file=name,
                name=front.text("name") or front.text("index") or name.removesuffix(".md"),
                description=front.text("description"),
                tasks=tuple(_ENTRY.findall(front.body)),
            )
            found += [index] if text else []
    return tuple(found)


def holds(index: Index, task: TaskFile) -> bool:
    """Tell whether an index names a task, as a file or a folder."""
    named = {one.strip().removeprefix("sessions/tasks/").strip("/") for one in index.tasks}
    return bool(named & {task.file, task.file.removesuffix(f"/{README}"), task.name})


def read_task(project: Project, file: str) -> tuple[TaskFile, str]:
    """Return a task and its file's text.

    Raises:
        NoTask: it cannot be read.
    """
    try:
        text = files.read_text(tasks_folder(project) / file, LARGEST)
    except (OSError, UnicodeDecodeError) as exc:
        raise NoTask(f"The task {file} cannot be read: {exc}.") from exc
    return task_file.read(file, text), text


def named(project: Project, given: str, cwd: str) -> str:
    """Return the file, below `sessions/tasks`, of a task as a person or an agent names it (DC-38).

    That is a bare name, a file or a folder's name, a path from the current folder or from the
    project's, or an absolute one.

    Raises:
        NoTask: there is none, or it lies elsewhere.
    """
    wanted = given.strip().removeprefix("@").strip()
    top = Path(os.path.realpath(tasks_folder(project)))
    if not wanted or "\0" in wanted:
        raise NoTask("No task was named.")
    outside = False
    for base in (top, project.root, Path(cwd)):
        for ending in ("", ".md"):
            path = Path(os.path.realpath(base / f"{wanted}{ending}"))
            if path.is_dir():
                path /= README
            if not path.is_file():
                continue
            if not path.is_relative_to(top):
                outside = True
            elif _may_be_task(found := path.relative_to(top)):
                return found.as_posix()
    reason = "lies outside sessions/tasks" if outside else "is not there"
    raise NoTask(f"The task {wanted} {reason}.")


def _may_be_task(path: Path) -> bool:
    """Tell whether a file below `sessions/tasks` is no index, and not the template of tasks."""
    first, *more = path.parts
    return first != "indexes" and bool(more or first.casefold() not in _NO_TASK_FILES)


def _parts(folder: Path) -> Iterator[str]:
    """Yield a folder's own file, then those of its parts; a folder without the first is no task."""
    names = _names(folder)
    if README in names:
        yield README
        yield from (name for name in names if name.endswith(".md") and name != README)


def _read_all(folder: Path, names: Iterable[str]) -> Iterator[TaskFile]:
    for name in names:
        if text := _text(folder / name):
            yield task_file.read(name, text)


def _text(path: Path) -> str:
    return _text_or_none(path) or ""


def _text_or_none(path: Path) -> str | None:
    try:
        return files.read_text(path, LARGEST)
    except (OSError, UnicodeDecodeError):
        return None


def _names(folder: Path) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []
    return names[:_MOST]


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
