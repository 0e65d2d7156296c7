"""A repository with its worktrees, as git and the files in its folder have them.

What nagomi notes of a worktree it has made stands in the worktree's own git folder, which goes with
it: `.git/worktrees/NAME/nagomi.json`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import Said, translatable
from nagomi_tui.worktrees import git

_NOTE: Final = "nagomi.json"
HEADS: Final = "refs/heads/"
_REMOTES: Final = "refs/remotes/"
_POOLS: Final = frozenset({"worktree", "worktrees"})
"""Names of folders, below one of an agent's, in which it makes worktrees of its own."""


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """What nagomi keeps of a worktree that it has made."""

    ref: str = ""
    """The whole name of the reference that its branch began at, such as `refs/heads/main`."""
    commit: str = ""
    """The commit that its branch began at."""
    ports: dict[str, int] = {}
    """The ports that are this worktree's own, by the names of their variables."""
    links: tuple[str, ...] = ()
    """Paths at which symbolic links were made that lead out of it."""
    request: int = 0
    """The pull request that it was made of: what is in it somebody else has written."""


class Base(NamedTuple):
    """What a worktree's branch has left."""

    ref: str
    """The whole name of a reference, such as `refs/heads/main`; empty if only a commit is known."""
    commit: str
    """Where the branch left it: their newest common commit."""
    kept: bool
    """Whether it was noted as the worktree was made, and is no guess."""

    @property
    def name(self) -> str:
        """A short name for people."""
        return short(self.ref) or self.commit[:8]


class Worktree(NamedTuple):
    """One worktree as git lists it."""

    path: Path
    git_dir: Path
    """Its own git folder: for the main one the repository itself."""
    head: str = ""
    """Its commit; empty on a branch without one."""
    branch: str = ""
    """The whole name of its branch; empty if its head is detached."""
    bare: bool = False
    locked: str | None = None
    """Why it is locked, perhaps nothing; None if it is not."""
    missing: bool = False
    """Whether its folder is gone, so that git would prune it."""
    is_main: bool = False

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.name

    @property
    def title(self) -> str:
        """What people call it: its branch, or the beginning of its commit."""
        return short(self.branch) or self.head[:8]

    @property
    def agent(self) -> str:
        """The agent that has made it for itself; empty if none has."""
        return agent_of(self.path, self.locked or "")


class Repository(NamedTuple):
    """A repository: the folder that all of its worktrees share."""

    common: Path

    def worktrees(self) -> tuple[Worktree, ...]:
        """Return its worktrees, the main one first; a bare repository is none."""
        return tuple(one for one in self._listed() if not one.bare)

    @property
    def place(self) -> Path:
        """The folder that people know the repository by: its main worktree, or the bare one itself."""
        return next(self._listed()).path

    def registered_at(self, folder: Path | str) -> Path | None:
        """Return the git folder of the linked worktree that is registered at a path."""
        return dict(self._registered()).get(os.fspath(folder))

    def _listed(self) -> Iterator[Worktree]:
        registered = dict(self._registered())
        try:
            ran, end = git.run(self.common, "worktree", "list", "--porcelain", "-z"), b"\0"
            if ran.code:  # Before 2.36 git has no `-z`.
                ran, end = git.run(self.common, "worktree", "list", "--porcelain"), b"\n"
        except git.Fault:
            for folder in registered:  # git looks into each: name the one on a dead disk
                git.check_answers(folder)
            raise
        told = git.sound(ran).out
        for number, part in enumerate(told.split(end * 2)):
            lines = [line.partition(b" ") for line in part.split(end) if line]
            said = {os.fsdecode(key): os.fsdecode(value) for key, _, value in lines}
            if "worktree" not in said:
                continue
            path = Path(said["worktree"])
            if number == 0 and path == self.common:  # so git says of a submodule
                elsewhere = git.answer(self.common, "config", "core.worktree")
                path = Path(os.path.normpath(self.common / elsewhere)) if elsewhere else path
            head = said.get("HEAD", "")
            yield Worktree(
                path, registered.get(os.fspath(path), self.common),
                head=head if head.strip("0") else "", branch=said.get("branch", ""),
                bare="bare" in said, locked=said.get("locked"),
                missing=not os.path.isdir(path), is_main=number == 0,
            )  # fmt: skip

    def _registered(self) -> Iterator[tuple[str, Path]]:
        """Yield the path of each linked worktree as it is registered, with its git folder."""
        with suppress(FileNotFoundError):
            for entry in sorted((self.common / "worktrees").iterdir()):
                with suppress(OSError):
                    said = os.fsdecode(files.read(entry / "gitdir")).removesuffix("\n")
                    yield os.path.dirname(os.path.normpath(entry / said)), entry


def find(folder: Path | str) -> Repository:
    """Return the repository that a folder is in."""
    try:
        ran = git.run(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    except git.Fault:
        git.check_answers(folder)
        raise
    if ran.code:
        raise git.Fault(
            "{folder} is in no git repository: {reason}",
            folder=os.path.abspath(folder),
            reason=ran.reason,
        )
    return Repository(Path(os.path.realpath(ran.text)))


def at(folder: Path | str) -> Worktree:
    """Return the worktree that a folder is in."""
    found = around(folder, find(folder).worktrees())
    if found is None:
        raise git.Fault("{folder} is in no worktree.", folder=folder)
    return found


def around(folder: Path | str, trees: Iterable[Worktree]) -> Worktree | None:
    """Return that of some worktrees which a folder is in, the innermost one; None if it is in none."""
    here = Path(os.path.realpath(folder))
    within = [one for one in trees if here.is_relative_to(os.path.realpath(one.path))]
    return max(within, key=lambda one: len(one.path.parts), default=None)


def agent_of(path: Path, lock_reason: str = "") -> str:
    """Return the agent that makes worktrees for itself at such a place; empty if none does.

    These are folders as `.claude/worktrees/NAME`, in a repository or at home, and those that an
    agent has locked in its own name.
    """
    parts = path.parts
    hidden = False  # so that `~/code/claude/worktrees/x` is the user's own
    for above, below in zip(parts, parts[1:-1], strict=False):
        hidden = hidden or above.startswith(".")
        if hidden and below in _POOLS and (name := _folders().get(above.lstrip("."), "")):
            return name
    words = lock_reason.casefold().split()
    return next((name for name in AGENTS if words[:1] == [name]), "")


def _folders() -> dict[str, str]:
    """Return the folders of agents' settings without the dot that they begin with, and whose they are."""
    found = {agent.pool or name: name for name, agent in AGENTS.items()}
    for agent in AGENTS.values():
        if agent.hooks and agent.hooks.home.startswith(".") and agent.hooks.home != ".config":
            found[agent.hooks.home.lstrip(".")] = agent.name
    return found


def base_of(path: Path | str) -> Base | None:
    """Return what the branch of the worktree at `path` has left; None if nothing tells.

    Of a worktree that nagomi has not made it is a guess: the default branch of the remote, or the
    branch of the main worktree; of that one itself, what its branch follows.
    """
    return base(at(path))


def base(worktree: Worktree) -> Base | None:
    """Return what a worktree's branch has left; None if nothing tells."""
    note = noted(worktree)
    if note is None or not note.commit:
        ref = _guessed(worktree)
        commit = git.answer(worktree.path, "merge-base", "HEAD", ref) if ref else ""
        return Base(ref, commit, kept=False) if commit else None
    # Where the base was merged into the branch since, or the branch was moved onto it, that counts.
    commit = git.answer(worktree.path, "merge-base", "HEAD", note.ref) if note.ref else ""
    return Base(note.ref, commit or note.commit, kept=True)


def _guessed(worktree: Worktree) -> str:
    """Return the whole name of the reference that a branch may have begun at, or nothing."""
    follows = git.answer(worktree.path, "rev-parse", "--symbolic-full-name", "@{upstream}")
    return default_ref(worktree.path, worktree.branch, follows)


def default_ref(folder: Path, branch: str, follows: str = "") -> str:
    """Return the reference that work on a branch goes back to, by all that git knows; or nothing.

    `follows` is the branch of the remote that it follows.
    """
    listed = find(folder).worktrees()
    candidates = (
        git.answer(folder, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"),
        *(one.branch for one in listed if one.is_main),
        f"{HEADS}main",
        f"{HEADS}master",
    )
    for ref in candidates:
        if ref and short(ref) != short(branch) and commit_of(folder, ref):
            return ref
    return follows


def commit_of(folder: Path, name: str) -> str:
    """Return the commit that a name stands for, or nothing."""
    if not name or name.startswith("-"):
        return ""
    return git.answer(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")


def twin_of(folder: Path, ref: str) -> str:
    """Return the branch that a disk which folds case takes for a branch that is not there; or nothing.

    There git finds `refs/heads/Main` in the file of `main`, and lists it under its own name.
    """
    if git.answer(folder, "config", "--type=bool", "core.ignorecase") != "true":
        return ""
    known = git.output(folder, "for-each-ref", "--format=%(refname)", HEADS).splitlines()
    folded = {one.casefold(): one for one in known}
    return "" if ref in known else folded.get(ref.casefold(), "")


SEQUENCE: Final = translatable("sequence of picks")
UNDER_WAY: Final = (
    ("rebase-merge", translatable("rebase")),
    ("rebase-apply", translatable("rebase")),
    ("MERGE_HEAD", translatable("merge")),
    ("CHERRY_PICK_HEAD", translatable("cherry-pick")),
    ("REVERT_HEAD", translatable("revert")),
    ("BISECT_LOG", translatable("bisect")),
    ("sequencer", SEQUENCE),
)
"""Files in a worktree's git folder that stand there while git has begun something."""


def under_way(worktree: Worktree) -> str:
    """Return what git has begun in a worktree and not ended, such as `rebase`; or nothing."""
    for name, what in UNDER_WAY:
        if os.path.lexists(worktree.git_dir / name):
            return what
    return ""


def check_idle(worktree: Worktree, what: str = "") -> None:
    """See that git has begun nothing in a worktree; `what` is a word for something else that is begun.

    Raises:
        Fault: there is something to be ended first.
    """
    if what := under_way(worktree) or what:
        raise git.Fault(
            "A {what} is under way in {folder}; end it first.",
            what=Said(what, {}), folder=worktree.path,
        )  # fmt: skip


def check_lock(worktree: Worktree) -> None:
    """See that no git changes the index of a worktree, or has left its lock there."""
    path = worktree.git_dir / "index.lock"
    if os.path.lexists(path):
        raise git.Fault(
            "{path} is there: another git works in {folder}, or was killed there. Remove the file if none does.",
            path=path, folder=worktree.path,
        )  # fmt: skip


def check_not_busy(trees: Iterable[Worktree], branch: str) -> None:
    """See that a branch is not being rebased or bisected in one of some worktrees."""
    for one in trees:
        for name in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
            with suppress(OSError):
                told = os.fsdecode(files.read(one.git_dir / name)).strip()
                if told in (branch, short(branch)):
                    raise git.Fault(
                        "The branch {branch} is being rebased or bisected at {folder}.",
                        branch=short(branch), folder=one.path,
                    )  # fmt: skip


class Change(NamedTuple):
    """A path that differs from what is committed."""

    name: str
    kind: str
    """`?` if git does not track it, `u` if it has a conflict, else `1`."""
    submodule: str = "N..."
    """What has changed of a submodule, as git tells it."""


def changes(folder: Path | str) -> tuple[Change, ...]:
    """Return what is uncommitted or untracked in a worktree, also in its submodules."""
    ran = git.run(
        folder, "-c", "core.untrackedCache=false", "-c", "core.trustctime=true",
        "-c", "core.checkStat=default", "status", "--porcelain=v2", "-z", "--no-renames",
        "--untracked-files=all", "--ignore-submodules=none", "--no-ahead-behind",
        seconds=git.LONG_SECONDS,
    )  # fmt: skip
    found = []
    for line in git.sound(ran).out.split(b"\0"):
        kind = line[:1].decode("ascii", "replace")
        if kind == "?":
            found.append(Change(os.fsdecode(line[2:]), kind))
        elif kind in ("1", "u"):
            words = line.split(b" ", 8 if kind == "1" else 10)
            found.append(Change(os.fsdecode(words[-1]), kind, words[2].decode("ascii")))
    return tuple(found)


INCLUDE: Final = ".worktreeinclude"


def included(
    folder: Path, rules: Path | None = None, patterns: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the files of a worktree that git does not track and that `.worktreeinclude` names.

    `rules` is the folder with that file, if it is another one; `patterns` name further files.
    """
    file = (rules or folder) / INCLUDE
    told = [f"--exclude-from={file}"] if file.is_file() else []
    told += [f"--exclude={one}" for one in patterns]
    if told:
        ran = git.run(
            folder, "ls-files", "-z", "--others", "--ignored", *told, seconds=git.LONG_SECONDS
        )
        yield from git.sound(ran).names


def short(ref: str) -> str:
    """Return a reference's name without what all branches, or all of a remote, begin with."""
    if ref.startswith(_REMOTES):
        return ref.removeprefix(_REMOTES).partition("/")[2]
    return ref.removeprefix(HEADS)


def noted(worktree: Worktree) -> Note | None:
    """Return what nagomi has noted of a worktree; None if that is nothing that can be read."""
    if worktree.is_main:
        return None
    try:
        return from_json(files.read(worktree.git_dir / _NOTE), Note)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def linked_at(folder: Path | str) -> Worktree | None:
    """Return the linked worktree that a folder is in, by the files alone; None if it is in none.

    Raises:
        OSError: a file cannot be read.
    """
    place = Path(folder)
    for one in (place, *place.parents):
        git_file = one / ".git"
        if git_file.is_file():
            key, _, named = os.fsdecode(files.read(git_file)).strip("\n").partition(": ")
            admin = one / named
            if key == "gitdir" and admin.parent.name == "worktrees":
                return Worktree(one, admin)
        if git_file.exists():
            break
    return None


def write_note(worktree: Worktree, note: Note) -> None:
    """Note something of a linked worktree.

    Raises:
        OSError: its git folder cannot be written.
    """
    files.write(worktree.git_dir / _NOTE, msgspec.json.encode(note))
