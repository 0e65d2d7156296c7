"""Makes a worktree for a session: what it begins at, where it stands, and what comes along.

A plan only looks, so that it can be shown before; it is made again under the lock of the repository.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from nagomi_tui.text.words import Said
from nagomi_tui.worktrees import git, project
from nagomi_tui.worktrees import repository as repositories
from nagomi_tui.worktrees.journal import Carry, SetAside, Work, folder_of, locked
from nagomi_tui.worktrees.model import some

_REQUESTS: Final = (
    "refs/pull/{}/head",
    "refs/merge-requests/{}/head",
    "refs/pull-requests/{}/from",
)
"""Where GitHub, GitLab and Bitbucket have the commit of a pull request."""
_LONGEST: Final = 80
"""Characters of a folder's name."""


class Wish(NamedTuple):
    """What one asks for."""

    folder: str
    """Where one is: in a worktree, or in a bare repository."""
    branch: str = ""
    """Its name; without one it is proposed."""
    start: str = ""
    """What a new branch begins at; without it, where one is."""
    beside: bool = False
    """Whether a new branch, without `start`, begins at the base of the linked worktree one is in.

    An agent's branch is what one happens to look at, and seldom what the next agent is to go on from.
    """
    request: int = 0
    """The number of a pull request to begin at."""
    with_changes: bool = False
    """Whether uncommitted and untracked changes come along, and leave where one is."""
    name: str = ""
    """The session's name, from which a branch is proposed."""
    place: str = ""
    """The folder of worktrees; see the setting."""


class Plan(NamedTuple):
    """What would be made."""

    folder: Path
    branch: str
    """The whole name of the branch."""
    is_new: bool
    commit: str
    base: str
    """The whole name of what the branch leaves; perhaps nothing."""
    base_commit: str
    tracks: str = ""
    """The branch of a remote that it follows."""
    fetched: tuple[str, str] = ("", "")
    """The remote and the reference there of a pull request."""
    request: int = 0
    """The number of that."""
    copied: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Paths that come along."""
    origin: repositories.Worktree | None = None


class Made(NamedTuple):
    """A worktree that was made."""

    worktree: repositories.Worktree
    cwd: Path
    """The folder in it that is as far down as one was before."""
    plan: Plan

    @property
    def branch(self) -> str:
        return repositories.short(self.plan.branch)


def plan(wish: Wish) -> Plan:
    """Return what would be made; nothing is written."""
    repository = repositories.find(wish.folder)
    trees = repository.worktrees()
    origin = repositories.around(wish.folder, trees)
    here = origin.path if origin else repository.common
    if git.answer(wish.folder, "rev-parse", "--show-superproject-working-tree"):
        raise git.Fault(
            "{folder} is a submodule; make the worktree of the repository around it.",
            folder=here,
        )
    found = _branched(wish, origin, here, trees, repository)
    changed: tuple[str, ...] = ()
    if wish.with_changes:
        if origin is None:
            raise git.Fault("A bare repository has no changes to take along.")
        changed = _changed(origin)
    return found._replace(
        folder=_place(wish.place, repository, repositories.short(found.branch)),
        copied=tuple(repositories.included(origin.path, patterns=project.read(origin.path).copy))
        if origin
        else (),
        changed=changed,
        origin=origin,
    )


def make(wish: Wish) -> Made:
    """Make a worktree; where that fails all is as it was before."""
    repository = repositories.find(wish.folder)
    with locked(repository) as work:
        found = plan(wish)
        back = SetAside(
            f"{found.folder.name}-{time.time_ns():x}", str(found.folder),
            found.branch if found.is_new else "", found.commit,
        )  # fmt: skip
        if found.fetched[0]:
            remote, ref = found.fetched
            kept = f"+{ref}:refs/remotes/{remote}/{repositories.short(found.branch)}"
            work.run(
                repository.common, "fetch", "--quiet", "--no-tags", remote, kept,
                seconds=git.LONG_SECONDS, check=True,
            )  # fmt: skip
        work.note("create", back)
        try:
            worktree = _add(work, repository, found)
            if found.changed and found.origin:
                tree, index_tree = _snapshot(work, found.origin, found.changed)
                _bring(work, worktree, found, tree, index_tree)
        except BaseException:
            work.do()
            raise
        if found.changed and found.origin:
            keep = folder_of(repository.common) / "carried" / back.name
            names = tuple(
                {
                    *found.changed,
                    *git.changed_names(found.origin.path, found.origin.head, index_tree),
                }
            )
            work.note(
                "carry", Carry(str(found.origin.path), str(keep), found.origin.head, tree, names)
            )
            work.do()
        work.done()
    cwd = worktree.path
    if found.origin:
        below = os.path.relpath(os.path.realpath(wish.folder), os.path.realpath(found.origin.path))
        cwd = cwd / below if (cwd / below).is_dir() else cwd
    return Made(worktree, Path(os.path.normpath(cwd)), found)


# --- which branch
def _branched(
    wish: Wish, origin: repositories.Worktree | None, here: Path, trees: Sequence[repositories.Worktree],
    repository: repositories.Repository,
) -> Plan:  # fmt: skip
    name = _branch_name(wish, here)
    ref = f"{repositories.HEADS}{name}"
    nowhere = Path()
    if twin := repositories.twin_of(here, ref):
        raise git.Fault(
            "The branch {branch} differs from {other} in upper and lower case alone, which this disk does not tell apart.",
            branch=name, other=repositories.short(twin),
        )  # fmt: skip
    if existing := repositories.commit_of(here, ref):
        if wish.start or wish.request:
            raise git.Fault("The branch {branch} is there already; name another one.", branch=name)
        _check_free(ref, trees)
        base = repositories.default_ref(here, ref)
        left = git.answer(here, "merge-base", existing, base) if base else ""
        return Plan(nowhere, ref, False, existing, base, left or existing)
    if wish.request:
        remote, its_ref, commit = _request(here, wish.request)
        base = repositories.default_ref(here, ref)
        # The commit may not be here yet, so where it has left the base is found later.
        return Plan(
            nowhere, ref, True, commit, base, "", fetched=(remote, its_ref), request=wish.request
        )
    far = git.output(here, "for-each-ref", "--format=%(refname)", f"refs/remotes/*/{name}")
    far_refs = far.split()
    if len(far_refs) == 1 and not wish.start:
        commit, base = (
            repositories.commit_of(here, far_refs[0]),
            repositories.default_ref(here, ref),
        )
        left = git.answer(here, "merge-base", commit, base) if base else ""
        return Plan(nowhere, ref, True, commit, base, left or commit, tracks=far_refs[0])
    start = wish.start or _beside(wish, origin) or "HEAD"
    commit = repositories.commit_of(here, start)
    if not commit and wish.start:
        raise git.Fault("There is no commit {name} to begin at.", name=wish.start)
    if not commit:
        raise git.Fault(
            "{repository} has no commit yet that a branch could begin at; commit something first.",
            repository=repository.place,
        )
    base = git.answer(here, "rev-parse", "--symbolic-full-name", start)
    return Plan(nowhere, ref, True, commit, "" if base == "HEAD" else base, commit)


def _beside(wish: Wish, origin: repositories.Worktree | None) -> str:
    """Return the base of the worktree one is in, where a branch is to begin there, too; or nothing."""
    if not wish.beside or wish.with_changes or origin is None or origin.is_main:
        return ""
    left = repositories.base_of(origin.path) if origin.head else None
    return left.ref if left is not None and repositories.commit_of(origin.path, left.ref) else ""


def _branch_name(wish: Wish, here: Path) -> str:
    """Return the short name of the branch, as it was given or proposed."""
    given = wish.branch.removeprefix(repositories.HEADS)
    if given:
        ran = git.run(here, "check-ref-format", "--branch", given)
        if ran.code or given.startswith("-"):
            raise git.Fault("No branch can be called {name}.", name=given)
        return ran.text
    if wish.request:
        return f"pr-{wish.request}"
    return proposed(here, wish.name)


def proposed(here: Path | str, name: str) -> str:
    """Return the name of a branch that is not there yet, from a session's name."""
    stem = re.sub(r"[^\w/.-]+|\.\.+|//+|/\.", "-", name.strip().lower()).strip("-./") or "work"
    stem = stem[:_LONGEST].removesuffix(".lock").strip("-./") or "work"
    listed = git.output(here, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    known = {one.casefold() for one in listed.splitlines()}
    number, found = 1, stem
    while found.casefold() in known:
        number += 1
        found = f"{stem}-{number}"
    return found


def _check_free(ref: str, trees: Sequence[repositories.Worktree]) -> None:
    for one in trees:
        if one.branch == ref:
            raise git.Fault(
                "The branch {branch} is checked out at {folder} already; `nagomi worktree open {branch}` starts a session there.",
                branch=repositories.short(ref), folder=one.path,
            )  # fmt: skip
    repositories.check_not_busy(trees, ref)


def _request(here: Path, number: int) -> tuple[str, str, str]:
    """Return the remote, the reference there and the commit of a pull request."""
    remotes = git.output(here, "remote").split()
    remote = next((one for one in ("upstream", "origin", *remotes) if one in remotes), "")
    if not remote:
        raise git.Fault("This repository has no remote that a pull request could come from.")
    wanted = [one.format(number) for one in _REQUESTS]
    ran = git.run(here, "ls-remote", remote, *wanted, seconds=git.LONG_SECONDS, check=True)
    for line in ran.text.splitlines():
        commit, _, ref = line.partition("\t")
        if ref in wanted:
            return remote, ref, commit
    raise git.Fault("{remote} has no pull request {number}.", remote=remote, number=number)


# --- where it stands


def _place(setting: str, repository: repositories.Repository, branch: str) -> Path:
    """Return a path that is free, for the worktree of a branch.

    A repository that hides as `.bare` or `.git` below a folder has its worktrees beside it.
    """
    main = repository.place
    if main.name.startswith("."):
        around, stem = main.parent, main.parent.name
    else:
        stem = main.name.removesuffix(".git")
        around = main.parent / f"{stem}.worktrees"
    if setting:
        around = main.parent.joinpath(os.path.expanduser(setting))
        if os.path.isabs(os.path.expanduser(setting)):
            around /= stem
    git.check_answers(around)
    slug = re.sub(r"[^\w.-]+", "-", branch)[:_LONGEST].strip("-.") or "work"
    number, found = 1, around / slug
    while os.path.lexists(found):
        number += 1
        found = around / f"{slug}-{number}"
    return found


# --- how it is made


def _add(work: Work, repository: repositories.Repository, found: Plan) -> repositories.Worktree:
    """Have git make the worktree, note its base and copy files into it."""
    found.folder.parent.mkdir(parents=True, exist_ok=True)
    how: tuple[str, ...] = ()
    if found.is_new:
        start = found.tracks or found.commit
        how = ("--track" if found.tracks else "--no-track", "-b", repositories.short(found.branch))
    else:
        start = repositories.short(found.branch)
    work.run(
        repository.common, "worktree", "add", "--quiet", *how, str(found.folder), start,
        seconds=git.LONG_SECONDS, check=True,
    )  # fmt: skip
    real = os.path.realpath(found.folder)
    worktree = next(one for one in repository.worktrees() if os.path.realpath(one.path) == real)
    left = found.base_commit
    if not left:
        left = git.answer(worktree.path, "merge-base", "HEAD", found.base) if found.base else ""
    links: tuple[str, ...] = ()
    rules = project.read(worktree.path)
    if found.origin:
        _copy(found.origin.path, worktree.path, found.copied)
        links = tuple(project.links(rules, found.origin.path, worktree.path))
    ports = project.choose_ports(rules, worktree.path)
    repositories.write_note(
        worktree, repositories.Note(found.base, left or found.commit, ports, links, found.request)
    )
    return worktree


def _copy(source: Path, target: Path, names: Sequence[str]) -> None:
    """Copy files and links; what is there already stays, and nothing is written outside.

    Raises:
        OSError: one cannot be copied.
    """
    root = os.path.realpath(target)
    for name in names:
        made = target / name
        made.parent.mkdir(parents=True, exist_ok=True)
        if not f"{os.path.realpath(made.parent)}/".startswith(f"{root}/") or os.path.lexists(made):
            continue
        with suppress(FileNotFoundError, shutil.SpecialFileError):
            shutil.copy2(source / name, made, follow_symlinks=False)


# --- what comes along


def _changed(origin: repositories.Worktree) -> tuple[str, ...]:
    """Return the paths of a worktree's own changes."""
    repositories.check_lock(origin)
    if what := repositories.under_way(origin):
        raise git.Fault(
            "A {what} is under way in {folder}; its changes cannot be taken along.",
            what=Said(what, {}), folder=origin.path,
        )  # fmt: skip
    names = []
    for one in repositories.changes(origin.path):
        if one.kind == "u":
            raise git.Fault(
                "{path} has a conflict; its changes cannot be taken along.",
                path=one.name,
            )
        if one.submodule != "N..." or one.name.endswith("/"):
            raise git.Fault(
                "{path} is a repository of its own, whose changes cannot be taken along.",
                path=one.name,
            )
        names.append(one.name)
    return tuple(names)


def _snapshot(work: Work, origin: repositories.Worktree, names: Sequence[str]) -> tuple[str, str]:
    """Store files as they are, and as they are staged; return both trees. The index stays as it is.

    Raises:
        Fault: git says no.
        OSError: the index cannot be copied.
    """
    index = folder_of(work.common) / "index"
    for left in (index, index.with_name("index.lock")):
        left.unlink(missing_ok=True)
    if (origin.git_dir / "index").exists():
        shutil.copy2(
            origin.git_dir / "index", index
        )  # with its time, by which git knows what it must read
    env = {"GIT_INDEX_FILE": str(index)}
    try:
        staged = work.run(origin.path, "write-tree", env=env, check=True).text
        work.run(
            origin.path, "update-index", "--add", "--remove", "-z", "--stdin",
            given=git.given(names), env=env, seconds=git.LONG_SECONDS, check=True,
        )  # fmt: skip
        return work.run(origin.path, "write-tree", env=env, check=True).text, staged
    finally:
        index.unlink(missing_ok=True)


def _bring(
    work: Work, worktree: repositories.Worktree, found: Plan, tree: str, staged: str
) -> None:
    """Put changes into a new worktree, and see that they have arrived."""
    assert found.origin is not None
    head, folder = found.origin.head, worktree.path
    long = git.LONG_SECONDS
    if found.commit == head:
        work.run(folder, "read-tree", "-m", "-u", head, tree, seconds=long, check=True)
        work.run(folder, "read-tree", staged, check=True)
        work.run(folder, "update-index", "-q", "--refresh", seconds=long)
        arrived = _snapshot(work, worktree, [one.name for one in repositories.changes(folder)])
        if arrived != (tree, staged) or _differ_by_filter(found.origin.path, folder, found.changed):
            raise git.Fault("The changes did not arrive whole; they are where they were.")
        return
    third = set(git.changed_names(folder, head, staged)) & set(
        git.changed_names(folder, staged, tree)
    )
    if third:
        raise git.Fault(
            "{names}: what is staged differs from the file, and only one of them fits onto another commit; stage the file as it is, or unstage it.",
            names=some(sorted(third)),
        )  # fmt: skip
    commit = work.run(
        folder, *git.OURS, "commit-tree", "-p", head, "-m", "changes", tree, check=True
    ).text
    ran = work.run(folder, *git.OURS, "cherry-pick", "--no-commit", commit, seconds=long)
    if ran.code:
        raise git.Fault(
            "The changes do not fit onto {name}; they are where they were.",
            name=repositories.short(found.base) or found.commit[:8],
        )
    work.run(folder, "reset", "--quiet", seconds=long, check=True)


def _differ_by_filter(source: Path, target: Path, names: Sequence[str]) -> bool:
    """Return whether a filter of the user's has made another file of one: what it cut off is in no tree."""
    told = git.run(
        source, "check-attr", "-z", "--stdin", "filter", given=git.given(names), check=True
    ).names
    for name, value in zip(told[::3], told[2::3], strict=False):
        if value in ("unspecified", "unset"):
            continue
        if os.path.isfile(source / name) and not filecmp.cmp(
            source / name, target / name, shallow=False
        ):
            return True
    return False
