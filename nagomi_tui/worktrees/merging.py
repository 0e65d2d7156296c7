"""Brings the commits of a worktree into another branch, or renews what it stands on.

The result is made without any work tree. Only then the target moves, by compare and swap: where it is
checked out, git itself brings the files along and leaves those with uncommitted changes alone, or
refuses. So a conflict, or a target that has moved meanwhile, leaves all as it was.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final, NamedTuple

import msgspec

from nagomi_tui.text.words import translatable
from nagomi_tui.worktrees import git, journal
from nagomi_tui.worktrees import repository as repositories
from nagomi_tui.worktrees.looks import SQUASH_NEEDS, is_in, targets_of
from nagomi_tui.worktrees.model import How, some

_MOST: Final = 50
"""Most subjects in the message of a squashed commit."""


class Conflict(git.Fault):
    """Two branches change the same lines; nothing was done."""

    def __init__(self, source: str, target: str, names: Sequence[str]) -> None:
        super().__init__(
            translatable("{source} and {target} meet in {names}; nothing was done."),
            source=source, target=target, names=some(names),
        )  # fmt: skip
        self.source, self.target = source, target
        self.names = tuple(names)

    @property
    def prompt(self) -> str:
        """What the agent of the worktree may be asked to do about it."""
        return (
            f"{self.target} and this branch ({self.source}) change the same lines in {', '.join(self.names)}. "
            f"Run `git merge {self.target}` here, resolve the conflicts so that both intentions are kept, "
            "run the tests, and commit the merge."
        )


class Preview(NamedTuple):
    """What a merge would bring."""

    worktree: repositories.Worktree
    target: str
    """The whole name of the branch that moves."""
    old: str
    """Where it is."""
    place: repositories.Worktree | None
    """Where it is checked out."""
    how: How
    subjects: tuple[str, ...]
    """Of the commits that come, the newest first."""
    names: tuple[str, ...]
    """The files that change."""
    added: int
    removed: int
    conflicts: tuple[str, ...] = ()
    """Files in which both change the same lines."""


class Merged(NamedTuple):
    """What was merged."""

    preview: Preview
    commit: str
    """Where the target is now."""


def preview(
    repository: repositories.Repository,
    worktree: repositories.Worktree,
    *,
    into: str = "",
    how: How = "merge",
    keep: bool = False,
) -> Preview:
    """Return what a merge would bring; nothing is changed."""
    worktree = _now(repository, worktree)
    target = _target(worktree, into)
    if how == "rebase":
        repositories.check_lock(worktree)
    if not worktree.head:
        raise git.Fault("{folder} has no commit yet.", folder=worktree.path)
    repositories.check_idle(worktree)
    dirty = [one.name for one in repositories.changes(worktree.path)]
    if dirty and not (keep and how != "rebase"):
        raise git.Fault(
            "{folder} has uncommitted changes: {names}. Commit them first; --keep leaves them and the worktree there.",
            folder=worktree.path, names=some(dirty),
        )  # fmt: skip
    old = repositories.commit_of(worktree.path, target)
    place = _place_of(repository, target)
    folder = worktree.path
    if git.run(folder, "merge-base", "--is-ancestor", worktree.head, old).code == 0 or is_in(
        folder, worktree.head, target
    ):
        raise git.Fault(
            "{target} has all of {source} already.",
            target=repositories.short(target), source=worktree.title,
        )  # fmt: skip
    subjects = git.output(folder, "log", "--format=%s", f"{old}..{worktree.head}").splitlines()
    left = git.answer(folder, "merge-base", old, worktree.head)
    if not left:
        raise git.Fault(
            "{source} and {target} have nothing in common.",
            source=worktree.title, target=repositories.short(target),
        )  # fmt: skip
    added, removed, names = git.numstat(
        git.run(folder, "diff-tree", "-r", "-z", "--numstat", "--no-renames", left, worktree.head)
    )
    _, conflicts = _merged_tree(folder, old, worktree.head)
    return Preview(
        worktree, target, old, place, how, tuple(subjects), tuple(names), added, removed, conflicts
    )


def merge(
    repository: repositories.Repository, worktree: repositories.Worktree, *, into: str = "", how: How = "merge",
    keep: bool = False, message: str = "",
) -> Merged:  # fmt: skip
    """Merge a worktree's commits into another branch.

    Raises:
        Conflict: both change the same lines; nothing was done.
        Fault: it cannot be merged; nothing was done.
    """
    with journal.locked(repository) as work:
        found = preview(repository, worktree, into=into, how=how, keep=keep)
        worktree = found.worktree
        if found.conflicts:
            raise Conflict(worktree.title, repositories.short(found.target), found.conflicts)
        if how == "rebase":
            _check_place(found, found.names)
            new = _rebase(work, worktree, found.target)
        else:
            new = _commit(work, found, message)
        try:
            _check_place(found, git.changed_names(worktree.path, found.old, new))
            _advance(work, found, new)
        except git.Fault:
            if how == "rebase":
                work.note("rebase", _back(worktree))
                work.do()
            raise
        return Merged(found, new)


def rebase(
    repository: repositories.Repository, worktree: repositories.Worktree, onto: str = ""
) -> str:
    """Put a worktree's commits onto the newest commit of its base, or of another branch.

    Return the name of what they stand on.

    Raises:
        Conflict: both change the same lines; nothing was done.
        Fault: it cannot be done.
    """
    with journal.locked(repository) as work:
        worktree = _now(repository, worktree)
        left = repositories.base(worktree)
        ref = onto or (left.ref if left else "")
        if not ref or not repositories.commit_of(worktree.path, ref):
            raise git.Fault(
                "Nothing tells what {folder} is to stand on; name it with --onto.",
                folder=worktree.path,
            )
        repositories.check_lock(worktree)
        repositories.check_idle(worktree)
        if dirty := [one.name for one in repositories.changes(worktree.path)]:
            raise git.Fault(
                "{folder} has uncommitted changes: {names}. Commit them first.",
                folder=worktree.path, names=some(dirty),
            )  # fmt: skip
        _rebase(work, worktree, ref)
        whole = git.answer(worktree.path, "rev-parse", "--symbolic-full-name", ref) or ref
        note = repositories.noted(worktree)
        if note is not None and note.ref == whole:
            moved = msgspec.structs.replace(note, commit=repositories.commit_of(worktree.path, ref))
            repositories.write_note(worktree, moved)
        return repositories.short(whole)


def _now(
    repository: repositories.Repository, worktree: repositories.Worktree
) -> repositories.Worktree:
    """Return a worktree as it is now."""
    for one in repository.worktrees():
        if one.git_dir == worktree.git_dir and not one.missing:
            return one
    raise git.Fault("There is no worktree at {folder}.", folder=worktree.path)


# --- the target


def _target(worktree: repositories.Worktree, into: str) -> str:
    """Return the whole name of the branch that a worktree is merged into."""
    if into:
        ref = into if into.startswith(repositories.HEADS) else f"{repositories.HEADS}{into}"
        if not repositories.commit_of(worktree.path, ref) or repositories.twin_of(
            worktree.path, ref
        ):
            raise git.Fault("There is no branch {name}.", name=into)
    else:
        near = (
            one
            if one.startswith(repositories.HEADS)
            else f"{repositories.HEADS}{repositories.short(one)}"
            for one in targets_of(worktree)
        )
        ref = next((one for one in near if repositories.commit_of(worktree.path, one)), "")
        if not ref:
            raise git.Fault(
                "Nothing tells what {folder} is merged into; name it with --into.",
                folder=worktree.path,
            )
    if ref == worktree.branch:
        raise git.Fault("{name} is the worktree's own branch.", name=repositories.short(ref))
    return ref


def _place_of(repository: repositories.Repository, target: str) -> repositories.Worktree | None:
    """Return where a branch is checked out."""
    trees = repository.worktrees()
    repositories.check_not_busy(trees, target)
    places = [one for one in trees if one.branch == target]
    # One that is gone for good holds nothing; one that is locked comes back, as a disk does.
    places = [one for one in places if not one.missing or one.locked is not None]
    if len(places) > 1 or any(one.missing for one in places):
        raise git.Fault(
            "The branch {branch} is checked out at {folder}, where it cannot be moved.",
            branch=repositories.short(target), folder=places[-1].path,
        )  # fmt: skip
    for one in places:
        in_conflict = any(change.kind == "u" for change in repositories.changes(one.path))
        repositories.check_idle(one, translatable("merge") if in_conflict else "")
        repositories.check_lock(one)
    return places[0] if places else None


def _check_place(found: Preview, names: Sequence[str]) -> None:
    """See that all files that are to change are in the target's work tree as it has them committed."""
    if found.place is None:
        return
    folder = found.place.path
    here, was = git.on_disk(folder, names), git.entries(folder, found.old, names)
    changed = git.run(folder, "diff-index", "--cached", "--name-only", "-z", found.old).names
    if met := [one for one in names if one in changed or not git.same(here.get(one), was.get(one))]:
        raise git.Fault(
            "{folder} has changes of its own in files that the merge changes: {names}. Nothing was done.",
            folder=folder, names=some(met),
        )  # fmt: skip


def _advance(work: journal.Work, found: Preview, new: str) -> None:
    """Move the target from where it was seen to a new commit, with the files where it is checked out."""
    if found.place is None:
        ran = work.run(
            work.common, "update-ref", "-m", f"nagomi: {found.how}", found.target, new, found.old
        )
        if ran.code:
            raise git.Fault(
                "{target} has moved meanwhile; nothing was done: {reason}",
                target=repositories.short(found.target), reason=ran.reason,
            )  # fmt: skip
        return
    place = found.place
    if (
        repositories.commit_of(place.path, found.target) != found.old
        or repositories.commit_of(place.path, "HEAD") != found.old
    ):
        raise git.Fault(
            "{target} has moved meanwhile; nothing was done: {reason}",
            target=repositories.short(found.target), reason=place.path,
        )  # fmt: skip
    work.note(
        "merge", journal.Advance(str(place.path), str(place.git_dir), found.target, found.old, new)
    )
    try:
        work.do()
    except git.Fault:
        # Git has refused before it changed anything, or was ended: see what is left.
        work.left_behind = True
        work.do()
        work.left_behind = False
        raise


# --- what is made


def _merged_tree(folder: os.PathLike[str], old: str, new: str) -> tuple[str, tuple[str, ...]]:
    """Return the tree of a merge, and the files in which it conflicts."""
    path = os.fspath(folder)
    if git.run(path, "merge-base", "--is-ancestor", old, new).code == 0:
        return git.output(path, "rev-parse", f"{new}^{{tree}}"), ()
    if git.version() < SQUASH_NEEDS:
        return merged_apart(path, old, new)
    return git.merged(path, old, new, seconds=git.LONG_SECONDS)


def merged_apart(path: str, old: str, new: str) -> tuple[str, tuple[str, ...]]:
    """Do the same with a git that cannot merge without a work tree: in one that is thrown away.

    A file that one has renamed and the other changed conflicts there.

    Raises:
        Fault: git says no, or both have merged each other before, so that this would not be certain.
    """
    bases = git.output(path, "merge-base", "--all", old, new).split()
    if len(bases) != 1:
        raise git.Fault(
            "To merge branches that have merged each other needs git {least}; this is {version}.",
            least=".".join(map(str, SQUASH_NEEDS)), version=".".join(map(str, git.version())),
        )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="nagomi-") as place:
        files = os.path.join(place, "files")
        os.mkdir(files)
        env = {
            "GIT_DIR": git.output(path, "rev-parse", "--absolute-git-dir"),
            "GIT_INDEX_FILE": os.path.join(place, "index"), "GIT_WORK_TREE": files,
        }  # fmt: skip
        git.run(
            files, "read-tree", "-i", "-m", "--aggressive", *bases, old, new, env=env, check=True
        )
        git.run(
            files, "merge-index", "-o", "-q", "git-merge-one-file", "-a",
            seconds=git.LONG_SECONDS, env=env,
        )  # fmt: skip
        left = git.run(files, "ls-files", "--unmerged", "-z", env=env, check=True).names
        if left:
            return "", tuple(dict.fromkeys(row.partition("\t")[2] for row in left))
        return git.run(files, "write-tree", env=env, check=True).text, ()


def _commit(work: journal.Work, found: Preview, message: str) -> str:
    """Make the commit that the target moves to; where it only follows, that is there already."""
    folder, head, old = found.worktree.path, found.worktree.head, found.old
    follows = git.run(folder, "merge-base", "--is-ancestor", old, head).code == 0
    if found.how == "merge" and follows:
        fast_forward = git.answer(folder, "config", "merge.ff")
        if fast_forward != "false" and not message:
            return head
    tree, _ = _merged_tree(folder, old, head)
    parents = ("-p", old) if found.how == "squash" else ("-p", old, "-p", head)
    signed = git.answer(folder, "config", "--type=bool", "commit.gpgSign") == "true"
    text = message or _message(found)
    ran = work.run(
        folder, "commit-tree", *(("-S",) if signed else ()), *parents, "-F", "-", tree,
        given=text.encode("utf-8", "surrogateescape"),
    )  # fmt: skip
    return git.sound(ran).text


def _message(found: Preview) -> str:
    source, target = found.worktree.title, repositories.short(found.target)
    if found.how == "merge":
        return f"Merge branch '{source}' into {target}\n"
    if len(found.subjects) == 1:
        return (
            git.output(found.worktree.path, "log", "-1", "--format=%B", found.worktree.head) + "\n"
        )
    lines = [f"* {subject}" for subject in reversed(found.subjects[:_MOST])]
    return "\n".join([f"Squash {source}", "", *lines, ""])


def _rebase(work: journal.Work, worktree: repositories.Worktree, onto: str) -> str:
    """Rebase a worktree, and return its new commit.

    Raises:
        Conflict: the same lines were changed; the worktree is as it was.
        Fault: git says no.
    """
    folder = worktree.path
    _check_untracked(folder, worktree.head, onto)
    work.note("rebase", _back(worktree))
    ran = work.run(
        folder, "-c", "rebase.updateRefs=false", "rebase", "--quiet", "--no-autostash",
        "--no-fork-point", "--no-autosquash", onto, seconds=git.LONG_SECONDS,
    )  # fmt: skip
    if ran.code:
        met = git.run(folder, "diff", "--name-only", "-z", "--diff-filter=U").names
        work.do()
        if met:
            raise Conflict(worktree.title, repositories.short(onto), met)
        git.sound(ran)
    work.done()
    return repositories.commit_of(folder, "HEAD")


def _check_untracked(folder: Path, head: str, onto: str) -> None:
    """See that no file is in the way that git would overwrite unasked: an ignored one, or one it does not look at."""
    told = git.run(
        folder, "log", "--format=", "--name-only", "-z", "--no-renames", "-m", f"{onto}..{head}",
        seconds=git.LONG_SECONDS, check=True,
    )  # fmt: skip
    names = set(told.names)
    names.update(git.changed_names(folder, head, onto))
    above = {os.fspath(one) for name in names for one in PurePath(name).parents[:-1]}
    names.update(
        one for one in above if not os.path.isdir(folder / one) or os.path.islink(folder / one)
    )
    here, was = git.on_disk(folder, names), git.entries(folder, head, names)
    met = []
    for name in sorted(here):
        if (
            here[name].mode == "040000"
        ):  # what git removes with a folder are files that it does not track
            literal = f":(top,literal){name}"
            met += git.output(folder, "ls-files", "--others", "--", literal).splitlines()
        elif not git.same(here[name], was.get(name)):
            met.append(name)
    if met:
        raise git.Fault(
            "{folder} has files of its own where the rebase writes: {names}. Nothing was done.",
            folder=folder, names=some(met),
        )  # fmt: skip


def _back(worktree: repositories.Worktree) -> journal.AbortRebase:
    return journal.AbortRebase(
        str(worktree.path), str(worktree.git_dir), worktree.branch, worktree.head
    )
