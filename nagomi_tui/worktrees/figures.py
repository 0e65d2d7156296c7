"""How the worktrees of a repository stand: what has changed in each, and which of them meet.

Two worktrees meet where both have changed the same lines, committed or not. That is found without a
change to either: first by the paths, then by a merge of what both hold right now, which is made in a
store of objects of its own.
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from nagomi_tui.worktrees import git
from nagomi_tui.worktrees import repository as repositories
from nagomi_tui.worktrees.journal import recover
from nagomi_tui.worktrees.looks import SQUASH_NEEDS, Inside, within
from nagomi_tui.worktrees.model import Figures, Meeting

_AT_ONCE: Final = 4
_LARGEST: Final = 1024 * 1024
"""Bytes of an untracked file whose lines are counted."""
_PAIRS: Final = 200
"""Most pairs that are merged on trial, those first that share the most paths."""


def survey(
    repository: repositories.Repository, sessions: Sequence[Inside] = ()
) -> tuple[Figures, ...]:
    """Return how each worktree stands, the main one first."""
    recover(repository)
    trees = repository.worktrees()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(lambda one: figures(one, sessions), trees))
    met = meetings(repository, trees)
    return tuple(msgspec.structs.replace(one, meets=met.get(one.path, ())) for one in found)


def figures(worktree: repositories.Worktree, sessions: Sequence[Inside] = ()) -> Figures:
    """Return how a worktree stands, as far as git can tell."""
    note = repositories.noted(worktree)
    known = Figures(
        path=os.fspath(worktree.path), name=worktree.name, branch=repositories.short(worktree.branch),
        commit=worktree.head, is_main=worktree.is_main, agent=worktree.agent,
        under_way=repositories.under_way(worktree), locked=worktree.locked is not None, missing=worktree.missing,
        ports=note.ports if note else {}, sessions=tuple(one.number for one in within(worktree, sessions)),
    )  # fmt: skip
    if worktree.missing:
        return known
    try:
        return _counted(worktree, known)
    except (git.Fault, OSError) as exc:
        return msgspec.structs.replace(known, fault=str(exc))


def _counted(worktree: repositories.Worktree, known: Figures) -> Figures:
    folder, dirty = worktree.path, repositories.changes(worktree.path)
    left = repositories.base(worktree) if worktree.head else None
    ahead = behind = 0
    if left and left.ref:
        told = git.answer(
            folder, "rev-list", "--left-right", "--count", f"{left.ref}...HEAD"
        ).split()
        behind, ahead = (int(told[0]), int(told[1])) if len(told) == 2 else (0, 0)
    since = left.commit if left else worktree.head
    plus = minus = 0
    names = {one.name for one in dirty}
    if since:
        ran = git.run(
            folder, "diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
            "--ignore-submodules=dirty", since, seconds=git.LONG_SECONDS,
        )  # fmt: skip
        plus, minus, differing = git.numstat(ran)
        names.update(differing)
    plus += sum(_lines(folder / one.name) for one in dirty if one.kind == "?")
    return msgspec.structs.replace(
        known, base=left.name if left else "", base_commit=left.commit if left else "",
        ahead=ahead, behind=behind, files=len(names), added=plus, removed=minus,
        uncommitted=len(dirty),
    )  # fmt: skip


def _lines(path: Path) -> int:
    """Return how many lines an untracked file has; none of what is binary, large or no file."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
            return 0
        data = path.read_bytes()
    except OSError:
        return 0
    return 0 if b"\0" in data else data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


# --- which of them meet


class _Held(NamedTuple):
    """A worktree, and the paths that it has changed."""

    tree: repositories.Worktree
    dirty: tuple[repositories.Change, ...]
    """What is not committed."""
    names: frozenset[str]


def meetings(
    repository: repositories.Repository, trees: Sequence[repositories.Worktree]
) -> dict[str, tuple[Meeting, ...]]:
    """Return by its path which others each worktree meets.

    The main one meets those that have left its branch, where that has moved since or has changes.
    """
    held: dict[str, _Held] = {}
    moved: dict[str, frozenset[str]] = {}
    main = next((one for one in trees if one.is_main and one.head and one.branch), None)
    for tree in trees:
        if tree.head and not tree.missing and not repositories.under_way(tree):
            try:
                dirty = repositories.changes(tree.path)
                left = None if tree.is_main else repositories.base(tree)
                committed = _committed(tree, left.commit, tree.head) if left else frozenset()
                names = frozenset({change.name for change in dirty} | committed)
                if main is not None and left is not None and left.ref == main.branch:
                    moved[os.fspath(tree.path)] = _committed(tree, left.commit, main.head)
            except git.Fault:
                continue
            held[os.fspath(tree.path)] = _Held(tree, dirty, names)
    pairs = [
        (one, other, shared)
        for one, other in itertools.combinations(held, 2)
        if (shared := _shared(held, moved, one, other))
    ]
    pairs.sort(key=lambda pair: -len(pair[2]))
    found: dict[str, tuple[Meeting, ...]] = {}
    with tempfile.TemporaryDirectory(prefix="nagomi-") as place:
        trial = _Trial(repository, place)
        for number, (here, there, shared) in enumerate(pairs):
            certain = number < _PAIRS and git.version() >= SQUASH_NEEDS
            try:
                names = trial.conflicts(held[here], held[there]) if certain else shared
            except (git.Fault, OSError):
                names, certain = shared, False
            if names:
                for one, other in ((here, there), (there, here)):
                    branch = repositories.short(held[other].tree.branch)
                    met = Meeting(other, branch, tuple(sorted(names)), certain)
                    found[one] = (*found.get(one, ()), met)
    return found


def _shared(
    held: Mapping[str, _Held], moved: Mapping[str, frozenset[str]], one: str, other: str
) -> frozenset[str]:
    """Return the paths that two worktrees have both changed since they have parted."""
    both = ((held[one], moved.get(other)), (held[other], moved.get(one)))
    mine, theirs = (
        each.names | (far or set() if each.tree.is_main else set()) for each, far in both
    )
    return mine & theirs


def _committed(worktree: repositories.Worktree, old: str, new: str) -> frozenset[str]:
    """Return the paths that have changed from one commit to another."""
    return frozenset(git.changed_names(worktree.path, old, new)) if old != new else frozenset()


class _Trial:
    """Merges what worktrees hold, in a store of objects that is thrown away."""

    def __init__(self, repository: repositories.Repository, place: str) -> None:
        self._place = place
        objects = os.path.join(place, "objects")
        os.mkdir(objects)
        self._env: Mapping[str, str] = {
            "GIT_OBJECT_DIRECTORY": objects,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fspath(repository.common / "objects"),
        }
        self._commits: dict[str, str] = {}

    def conflicts(self, one: _Held, other: _Held) -> frozenset[str]:
        """Return the files in which two worktrees conflict."""
        first, second = self._commit(one), self._commit(other)
        return frozenset(git.merged(one.tree.path, first, second, env=self._env)[1])

    def _commit(self, held: _Held) -> str:
        """Return a commit with all that a worktree holds."""
        tree, dirty, _ = held
        path = os.fspath(tree.path)
        if not dirty:
            return tree.head
        if path not in self._commits:
            index = os.path.join(self._place, f"index{len(self._commits)}")
            shutil.copy2(tree.git_dir / "index", index)
            env = {**self._env, "GIT_INDEX_FILE": index}
            names = (
                one.name for one in dirty if not one.name.endswith("/") and one.submodule == "N..."
            )
            git.run(
                path, "update-index", "--add", "--remove", "-z", "--stdin", given=git.given(names),
                env=env, check=True,
            )  # fmt: skip
            written = git.run(path, "write-tree", env=env, check=True).text
            made = git.run(
                path, *git.OURS, "commit-tree", "-p", tree.head, "-m", "x", written, env=env,
                check=True,
            )  # fmt: skip
            self._commits[path] = made.text
        return self._commits[path]
