"""Reads the folder `sessions/tasks`: the tasks, which of them are open, and the indexes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.guard.tasks import task_file
from nagomi_tui.guard.tasks.task_file import README, TaskFile, is_open_ended, parse
from nagomi_tui.system import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nagomi_tui.guard.files.project import Project

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
