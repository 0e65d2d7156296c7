"""A task, read from its file: a single file, or the README of a folder of subtasks (DC-39)."""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from nagomi_tui.guard.tasks.front import Front, parse

Status = Literal["pending", "in-progress", "completed", "blocked"]

README: Final = "README.md"
_STATUSES: Final[dict[str, Status]] = {
    "pending": "pending",
    "todo": "pending",
    "open": "pending",
    "in-progress": "in-progress",
    "inprogress": "in-progress",
    "active": "in-progress",
    "started": "in-progress",
    "completed": "completed",
    "complete": "completed",
    "done": "completed",
    "finished": "completed",
    "closed": "completed",
    "blocked": "blocked",
    "waiting": "blocked",
}
_NAME: Final = re.compile(
    r"(?P<priority>[hml?])-(?P<kind>implement|fix|refactor|research|experiment|migrate|test|docs)-.+"
)
_PRIORITIES: Final = {"h": "high", "m": "medium", "l": "low", "?": "investigate"}
_BRANCHES: Final = {
    "implement": "feature/",
    "refactor": "feature/",
    "migrate": "feature/",
    "test": "feature/",
    "docs": "feature/",
    "fix": "fix/",
    "experiment": "experiment/",
    "research": "none",
}
_TITLE: Final = re.compile(r"^#[ \t]+(?P<title>\S.*?)[ \t]*$", re.MULTILINE)
_BOX: Final = re.compile(r"^\s*[-*]\s+\[(?P<mark>[ xX])\]\s", re.MULTILINE)
_CRITERIA: Final = re.compile(
    r"^##[ \t]+Success Criteria[ \t]*$(?P<text>.*?)(?=^##[ \t]|\Z)", re.DOTALL | re.MULTILINE
)


class TaskFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a task's file says."""

    file: str
    """Path relative to `sessions/tasks`, with slashes."""
    name: str
    title: str = ""
    branch: str = ""
    """Empty where it says none; `none` where there is to be none."""
    status: Status = "pending"
    created: str = ""
    submodules: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    """Tasks that it depends on, by name or file."""
    priority: str = ""
    kind: str = ""
    criteria: tuple[int, int] = (0, 0)
    """How many of its success criteria are met, and how many there are."""

    @property
    def is_open(self) -> bool:
        """Whether something is still to be done."""
        return self.status != "completed"

    @property
    def folder(self) -> str:
        """The folder of the task that this one is, or is a part of; empty for a file of its own."""
        above = f"{self.file.rpartition('/')[0]}/"
        return above.removeprefix("done/").strip("/")

    @property
    def is_part(self) -> bool:
        """Whether it is one of a bigger task's (D-60)."""
        return bool(self.folder) and not self.file.endswith(f"/{README}")


def read(file: str, text: str) -> TaskFile:
    """Return the task that a file's text is; what is missing follows from the file's name."""
    front = parse(text.replace("\r\n", "\n"))
    name = front.text("name") or stem(file)
    named = _NAME.fullmatch(stem(file))
    kind = named["kind"] if named else ""
    title = _TITLE.search(front.body)
    return TaskFile(
        file=file,
        name=name,
        title=title["title"] if title else "",
        branch=front.text("branch"),
        status=status_of(front.text("status")),
        created=front.text("created"),
        submodules=_submodules(front),
        dependencies=front.list("dependencies") or front.list("depends_on"),
        priority=_PRIORITIES[named["priority"]] if named else "",
        kind=kind,
        criteria=_criteria(front.body),
    )


def status_of(written: str) -> Status:
    """Return the normal form of a status; an unknown one counts as pending (DB-18)."""
    return _STATUSES.get(written.strip().casefold().replace("_", "-").replace(" ", "-"), "pending")


def stem(file: str) -> str:
    """Return the name that a task's file gives it: a folder's for a README."""
    parts = file.removesuffix(".md").split("/")
    return parts[-2] if len(parts) > 1 and file.endswith(f"/{README}") else parts[-1]


def usual_branch(name: str) -> str:
    """Return the branch of a task by its kind; empty where its name tells none."""
    named = _NAME.fullmatch(name)
    if named is None:
        return ""
    prefix = _BRANCHES[named["kind"]]
    return prefix if prefix == "none" else f"{prefix}{name.split('-', 2)[2]}"


def _submodules(front: Front) -> tuple[str, ...]:
    return front.list("submodules") or front.list("modules") or front.list("services")


def _criteria(body: str) -> tuple[int, int]:
    found = _CRITERIA.search(body)
    marks = _BOX.findall(found["text"]) if found else []
    return sum(mark != " " for mark in marks), len(marks)
