"""Reads a task's file, with the YAML at its head, and changes single lines of it.

Only the part of YAML that such files use is read. What is not understood is left as it is, and a
change touches no other line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

Value: TypeAlias = str | tuple[str, ...]

_HEAD: Final = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<lines>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_LINE: Final = re.compile(r"(?P<key>[\w-]+)[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM: Final = re.compile(r"\s*-\s+(?P<value>.*)$")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_QUOTED: Final = re.compile(r"'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"")


class Front(NamedTuple):
    """A file's head and the text behind it."""

    values: Mapping[str, Value]
    body: str

    def text(self, key: str) -> str:
        """Return a single value; empty where there is none."""
        found = self.values.get(key, "")
        return found if isinstance(found, str) else ", ".join(found)

    def list(self, key: str) -> tuple[str, ...]:
        """Return a list; a single value is a list of one."""
        found = self.values.get(key, ())
        if isinstance(found, tuple):
            return found
        return (found,) if found and found.casefold() not in ("none", "null", "~") else ()


def parse(text: str) -> Front:
    """Return the head of a file, which is empty where the file has none, and the rest."""
    head = _HEAD.match(text)
    if head is None:
        return Front({}, text)
    values: dict[str, Value] = {}
    key = ""
    for line in head["lines"].splitlines():
        if found := _LINE.match(line):
            key = found["key"]
            values[key] = _value(found["value"] or "")
        elif (item := _ITEM.match(line)) and key:
            before = values[key] if isinstance(values[key], tuple) else ()
            values[key] = (*before, _plain(item["value"]))
    return Front(values, text[head.end() :])


def is_open_ended(text: str) -> bool:
    """Tell whether a file begins like one with a head, which then has no end."""
    return _HEAD.match(text) is None and text.lstrip("\ufeff").startswith(("---\n", "---\r\n"))


def changed(text: str, key: str, value: str) -> str:
    """Return a file's text with one value of its head set; a file without a head stays as it is."""
    head = _HEAD.match(text)
    if head is None:
        return text
    line = re.compile(
        rf"^(?P<key>{re.escape(key)}[ \t]*:)[^\r\n#]*?(?P<end>[ \t]+#[^\r\n]*)?(?=\r?$)",
        re.MULTILINE,
    )
    start, end = head.span("lines")
    lines, count = line.subn(
        lambda found: f"{found['key']} {value}{found['end'] or ''}", text[start:end], 1
    )
    if not count:
        lines = f"{text[start:end]}{key}: {value}\n"
    return text[:start] + lines + text[end:]


def _value(written: str) -> Value:
    bare = written.strip()
    if bare.startswith("["):
        inner = bare[1:].partition("]")[0]
        return tuple(found for one in inner.split(",") if (found := _plain(one)))
    return _plain(bare)


def _plain(written: str) -> str:
    """Return a value without quotes, or without the comment behind it (DB-18)."""
    bare = written.strip()
    if quoted := _QUOTED.match(bare):
        return quoted["single"] if quoted["single"] is not None else quoted["double"]
    return _COMMENT.sub("", bare).strip()


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
