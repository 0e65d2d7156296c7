"""Runs git for worktrees: each command within a time limit, and without what settings would have it run.

Hooks of a repository do not run, no fsmonitor or maintenance is left behind, and no variable of the
environment points git to another repository than the one that is named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from nagomi_tui.system import deadlines
from nagomi_tui.system.children import NOWHERE
from nagomi_tui.system.git import NO_PROGRAMS, GitFault, Late, run_git, users_environment
from nagomi_tui.text.words import Said

SECONDS: Final = 20.0
"""Seconds that a command which only looks may take."""
LONG_SECONDS: Final = 300.0
"""Seconds that a command may take which writes all files of a work tree, or asks a remote."""
_SETTINGS: Final = (
    *NO_PROGRAMS, "core.quotePath=false", "maintenance.auto=false", "submodule.recurse=false",
    "advice.detachedHead=false",
)  # fmt: skip
OURS: Final = (
    "-c", "user.name=nagomi", "-c", "user.email=nagomi@localhost", "-c", "commit.gpgSign=false",
)  # fmt: skip
"""Who makes the commits that only serve to compare, and that no branch has."""


class Fault(GitFault):
    """Something about worktrees cannot be done; the message says it in one sentence of English.

    Whatever asks git in this package raises it where git says no or does not answer, and where a
    thing cannot be done; docstrings name it only where there is more to know of it.
    """

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(message.format(**values), message, **values)
        self.said = Said(message, values)


class Ran(NamedTuple):
    """What a git command has answered."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """What it has printed, without the last end of line."""
        return os.fsdecode(self.out).removesuffix("\n")

    @property
    def names(self) -> tuple[str, ...]:
        """The paths that it has printed with `-z`."""
        return tuple(os.fsdecode(name) for name in self.out.split(b"\0") if name)

    @property
    def reason(self) -> str:
        """The line in which git says why it did not do it."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal: ", "error: "))]
        first = (told or lines or [f"exit code {self.code}"])[0]
        return first.removeprefix("fatal: ").removeprefix("error: ")


def run(
    folder: Path | str, *arguments: str, given: bytes = b"", seconds: float = SECONDS,
    env: Mapping[str, str] | None = None, lock: int | None = None, check: bool = False,
) -> Ran:  # fmt: skip
    """Run git in a folder to its end; with `check` it must not say no.

    `lock` is the number of a locked file, which stays locked until git has ended, also where this
    process is killed before.

    Raises:
        Fault: there is no git, or it takes longer than that, or it says no and `check` is set.
    """
    optional = () if lock is not None else ("--no-optional-locks",)
    # A folder that does not answer is entered by git, and not by this process.
    command = [*optional, "-C", os.path.abspath(folder), *arguments]
    try:
        code, out, err = run_git(
            command, cwd=NOWHERE, env=users_environment() | dict(env or {}), settings=_SETTINGS,
            given=given, seconds=seconds, lock=lock,
        )  # fmt: skip
    except Late:
        raise Fault(
            "git did not answer within {seconds} s in {folder}.",
            seconds=round(seconds),
            folder=folder,
        ) from None
    except GitFault as exc:
        raise Fault(exc.sentence, **exc.values) from exc
    ran = Ran(code, out, err)
    return sound(ran) if check else ran


def check_answers(folder: Path | str) -> None:
    """See that a folder can be looked into, so that this process does not wait for a dead disk."""
    try:
        deadlines.wait(lambda: os.path.exists(folder), seconds=SECONDS)
    except TimeoutError:
        raise Fault(
            "The folder {cwd} does not answer; is the disk or server there?",
            cwd=folder,
        ) from None


def output(folder: Path | str, *arguments: str) -> str:
    """Return what git prints, without the last end of line."""
    return run(folder, *arguments, check=True).text


def answer(folder: Path | str, *arguments: str) -> str:
    """Return what git prints, or nothing where it says no."""
    ran = run(folder, *arguments)
    return "" if ran.code else ran.text


def sound(ran: Ran) -> Ran:
    """Return it as it is.

    Raises:
        Fault: git has said no.
    """
    if ran.code:
        raise Fault("git says: {reason}", reason=ran.reason)
    return ran


def numstat(ran: Ran) -> tuple[int, int, list[str]]:
    """Return what `--numstat -z` has printed: lines added, lines removed, and the files."""
    added = removed = 0
    names = []
    for line in sound(ran).out.split(b"\0"):
        plus, _, rest = line.partition(b"\t")
        minus, _, name = rest.partition(b"\t")
        added += int(plus) if plus.isdigit() else 0
        removed += int(minus) if minus.isdigit() else 0
        names += [os.fsdecode(name)] if name else []
    return added, removed, names


def given(names: Iterable[str]) -> bytes:
    """Return paths as git reads them with `-z`."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def merged(
    folder: Path | str, one: str, other: str, *, seconds: float = SECONDS, env: Mapping[str, str] | None = None
) -> tuple[str, tuple[str, ...]]:  # fmt: skip
    """Return the tree of a merge that changes nothing, and the files in which it conflicts."""
    ran = run(
        folder, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", one, other,
        seconds=seconds, env=env,
    )  # fmt: skip
    if ran.code not in (0, 1):
        sound(ran)
    tree, *names = ran.names
    return tree.strip(), tuple(dict.fromkeys(names)) if ran.code else ()


@cache
def version() -> tuple[int, int]:
    """Return git's version, such as (2, 39)."""
    found = re.search(r"(\d+)\.(\d+)", output(os.curdir, "version"))
    return (int(found[1]), int(found[2])) if found else (0, 0)


# --- trees


class Entry(NamedTuple):
    """A file in a tree."""

    mode: str
    blob: str


def changed_names(folder: str | Path, old: str, new: str) -> tuple[str, ...]:
    """Return the paths that differ between two trees."""
    return run(
        folder, "diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new, check=True
    ).names


def entries(folder: str | Path, tree: str, names: Iterable[str]) -> dict[str, Entry]:
    """Return those of these paths that a tree has."""
    wanted = set(names)
    found = {}
    for line in run(folder, "ls-tree", "-r", "-z", "--full-tree", tree, check=True).names:
        facts, _, name = line.partition("\t")
        if name in wanted:
            mode, _, blob = facts.split(" ")[:3]
            found[name] = Entry(mode, blob)
    return found


def on_disk(folder: str | Path, names: Iterable[str]) -> dict[str, Entry]:
    """Return what those of these paths that are there would be in a tree."""
    found, plain = {}, []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            target = os.fsencode(os.readlink(path))
            found[name] = Entry("120000", run(folder, "hash-object", "--stdin", given=target).text)
        elif os.path.isfile(path) and "\n" not in name:
            plain.append(name)
        elif os.path.isfile(path):
            found[name] = Entry("100644", output(folder, "hash-object", "--", name))
        elif os.path.lexists(path):
            found[name] = Entry("040000", "")
    lines = b"".join(os.fsencode(name) + b"\n" for name in plain)
    told = run(
        folder, "hash-object", "--stdin-paths", given=lines, seconds=LONG_SECONDS, check=True
    )
    blobs = told.text.splitlines()
    return found | {name: Entry("100644", one) for name, one in zip(plain, blobs, strict=True)}


def same(one: Entry | None, other: Entry | None) -> bool:
    """Return whether two files hold the same, whatever they may be run as."""
    if any(entry is not None and entry.mode == "160000" for entry in (one, other)):
        return True  # A submodule is moved by its own repository.
    if one is None or other is None:
        return one is other
    return one.blob == other.blob and (one.mode == "120000") == (other.mode == "120000")
