"""What would be lost with a worktree: each look says why it must stay, and a look that fails says so, too.

The files of a worktree are only a part of it: commits that nothing else has, what git is in the
middle of, repositories within it, and whoever works there count as well.
"""

from __future__ import annotations

import filecmp
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.sessions.session import Session, has_ended
from nagomi_tui.system import files
from nagomi_tui.system.platforms import LINUX
from nagomi_tui.text.words import Said, translatable
from nagomi_tui.worktrees import git, project, repository
from nagomi_tui.worktrees.journal import said
from nagomi_tui.worktrees.model import some

if TYPE_CHECKING:
    import psutil


_COMMITS: Final = 2000
"""Newest commits of a target in which a patch is looked for."""
SQUASH_NEEDS: Final = (2, 38)
"""The oldest git that merges without a work tree."""


class Inside(NamedTuple):
    """A session, and the folder that it is in."""

    number: int
    name: str
    folder: str


def inside(sessions: Iterable[Session]) -> tuple[Inside, ...]:
    """Return those that run on this machine, with their folders: where each began, and where it is."""
    return tuple(
        Inside(one.number, one.name, folder)
        for one in sessions
        if one.is_local and not has_ended(one)
        for folder in dict.fromkeys((one.cwd, one.here))
    )


def dangers(
    worktree: repository.Worktree, sessions: Callable[[], Sequence[Inside]], *,
    force: bool = False, inhabited: bool = False,
) -> tuple[Said, ...]:  # fmt: skip
    """Return why a worktree must not be taken away; nothing if nothing is lost with it.

    `force` waives what is uncommitted, untracked or ignored, and nothing else. `sessions` returns
    those of nagomi, and raises Fault where they cannot be asked for. Where it may be `inhabited`,
    it is not looked who is in it.
    """
    found: list[Said] = []
    for look in (_kind, _registration, _elsewhere, _under_way, _mounts):
        found += _looked(look, worktree)
    if found:
        return tuple(found)
    if not inhabited:
        found += _looked(lambda one: _sessions(one, sessions()), worktree)
    if not found and not inhabited:
        found += _looked(_processes, worktree)
    if not force:
        for look in (_uncommitted, _hidden, _ignored):
            found += _looked(look, worktree)
    for look in (_unpushed, _own_refs, _submodules):
        found += _looked(look, worktree)
    return tuple(found)


def _looked(
    look: Callable[[repository.Worktree], Iterator[Said]], worktree: repository.Worktree
) -> list[Said]:
    try:
        return list(look(worktree))
    except (git.Fault, OSError, ValueError) as exc:
        sentence = translatable("It cannot be seen whether something would be lost: {reason}")
        return [Said(sentence, {"reason": said(exc)})]


# --- what it is


def _kind(worktree: repository.Worktree) -> Iterator[Said]:
    if worktree.is_main:
        yield Said(translatable("It is the main worktree, which holds the repository."), {})
    if name := worktree.agent:
        title = AGENTS[name].title
        yield Said(
            translatable("{agent} has made it for itself, and takes it away itself."),
            {"agent": title},
        )
    elif worktree.locked is not None:
        yield Said(
            translatable("It is locked: {reason}"),
            {"reason": worktree.locked or "git worktree lock"},
        )
    if worktree.missing:
        yield Said(translatable("Its folder is not there; `git worktree prune` forgets it."), {})


def _registration(worktree: repository.Worktree) -> Iterator[Said]:
    """Folder and registration must name each other, or the folder may be something else by now."""
    if worktree.is_main or worktree.missing:
        return
    own, admin = worktree.path / ".git", worktree.git_dir
    told = os.fsdecode(files.read(own)) if own.is_file() and not own.is_symlink() else ""
    key, _, named = told.strip("\n").partition(": ")
    to = os.path.realpath(worktree.path / named)
    back = os.fsdecode(files.read(admin / "gitdir")).strip("\n")
    shared = os.fsdecode(files.read(admin / "commondir")).strip("\n")
    if (
        key != "gitdir"
        or worktree.path.is_symlink()
        or to != os.path.realpath(admin)
        or os.path.realpath(admin / back) != os.path.realpath(own)
        or os.path.realpath(admin / shared) != os.path.realpath(admin.parent.parent)
    ):
        yield Said(
            translatable(
                "Its folder and its registration do not name each other; another repository may stand there."
            ),
            {},
        )


def _elsewhere(worktree: repository.Worktree) -> Iterator[Said]:
    """Say where git looks at other files than those of the folder, as `core.worktree` has it do."""
    if not worktree.is_main and not worktree.missing:
        top = git.output(worktree.path, "rev-parse", "--show-toplevel")
        if os.path.realpath(top) != os.path.realpath(worktree.path):
            sentence = translatable(
                "git looks at the files in {folder} in its place (`core.worktree`)."
            )
            yield Said(sentence, {"folder": top})


def _under_way(worktree: repository.Worktree) -> Iterator[Said]:
    if what := repository.under_way(worktree):
        yield Said(translatable("A {what} is under way in it."), {"what": Said(what, {})})
    try:
        repository.check_lock(worktree)
    except git.Fault as exc:
        yield exc.said


# --- who is there


def _sessions(worktree: repository.Worktree, sessions: Sequence[Inside]) -> Iterator[Said]:
    for one in within(worktree, sessions):
        sentence = translatable("The session {number} {name} is in it.")
        yield Said(sentence, {"number": one.number, "name": one.name})


def within(worktree: repository.Worktree, sessions: Sequence[Inside]) -> list[Inside]:
    root = os.path.realpath(worktree.path)
    return [one for one in sessions if Path(os.path.realpath(one.folder)).is_relative_to(root)]


def _processes(worktree: repository.Worktree) -> Iterator[Said]:
    """Say which processes have the worktree, or a folder in it, as theirs, or a file of it open."""
    import psutil

    root = os.path.realpath(worktree.path)
    found = []
    for process in psutil.process_iter(["pid", "name"]):
        with suppress(psutil.Error, OSError):
            if _is_at(process, root):
                found.append(f"{process.info['name']} ({process.info['pid']})")
    if found:
        yield Said(translatable("Processes are in it: {names}"), {"names": some(found)})


def _is_at(process: psutil.Process, root: str) -> bool:
    if Path(process.cwd()).is_relative_to(root):
        return True
    return LINUX and any(Path(one.path).is_relative_to(root) for one in process.open_files())


# --- files


def mounts_in(folder: Path | str) -> list[str]:
    """Return where file systems are mounted in a folder: what is on them is not git's to lose."""
    import psutil

    root = os.path.realpath(folder)
    every = {one.mountpoint for one in psutil.disk_partitions(all=True)}
    return sorted(one for one in every if Path(one).is_relative_to(root))


def _mounts(worktree: repository.Worktree) -> Iterator[Said]:
    if found := mounts_in(worktree.path):
        sentence = translatable("File systems are mounted in it: {names}")
        yield Said(sentence, {"names": some(found)})


def _uncommitted(worktree: repository.Worktree) -> Iterator[Said]:
    note = repository.noted(worktree)
    links = {one for one in note.links if (worktree.path / one).is_symlink()} if note else set()
    found = [one for one in repository.changes(worktree.path) if one.name not in links]
    if tracked := [one.name for one in found if one.kind != "?"]:
        yield Said(translatable("Not committed: {names}"), {"names": some(tracked)})
    if untracked := [one.name for one in found if one.kind == "?"]:
        yield Said(translatable("Not tracked by git: {names}"), {"names": some(untracked)})


def _hidden(worktree: repository.Worktree) -> Iterator[Said]:
    """Say which files have changed that the index is told not to look at.

    They are compared with an index that holds nothing but their contents: the sizes and times in
    the worktree's own one may be those of another text.
    """
    folder = worktree.path
    listed = [
        (line[:1], line[2:])
        for line in git.run(folder, "ls-files", "-v", "--stage", "-z", check=True).names
    ]
    entries = [
        entry
        for tag, entry in listed
        if (tag.islower() or tag == "S") and os.path.lexists(folder / entry.partition("\t")[2])
    ]
    if not entries:
        return
    with tempfile.TemporaryDirectory() as place:
        env, given = {"GIT_INDEX_FILE": os.path.join(place, "index")}, git.given(entries)
        git.run(folder, "update-index", "-z", "--index-info", given=given, env=env, check=True)
        git.run(folder, "update-index", "-q", "--refresh", env=env)
        changed = git.run(folder, "diff-files", "--name-only", "-z", env=env, check=True).names
    if changed:
        yield Said(translatable("Not committed: {names}"), {"names": some(changed)})


def _ignored(worktree: repository.Worktree) -> Iterator[Said]:
    """Say which ignored files are worth something: copied ones that changed, and repositories."""
    main = repository.Repository(worktree.git_dir.parent.parent).place
    changed = [
        name
        for name in repository.included(worktree.path, main, project.read(main).copy)
        if not _alike(worktree.path / name, main / name)
    ]
    if changed:
        yield Said(
            translatable("Ignored by git, and changed here: {names}"), {"names": some(changed)}
        )
    told = git.run(
        worktree.path, "ls-files", "-z", "--others", "--ignored", "--exclude-standard",
        "--directory", seconds=git.LONG_SECONDS, check=True,
    )  # fmt: skip
    until = time.monotonic() + git.SECONDS
    for name in told.out.split(b"\0"):
        if not name.endswith(b"/"):
            continue
        for folder, below, here in os.walk(worktree.path / os.fsdecode(name)):
            is_bare = "HEAD" in here and {"objects", "refs"} <= {*below}
            if ".git" in below or ".git" in here or is_bare:
                sentence = translatable("A repository of its own, ignored by git: {names}")
                yield Said(sentence, {"names": os.path.relpath(folder, worktree.path)})
                below.clear()
            if time.monotonic() > until:
                raise git.Fault("there are too many ignored files.")


def _alike(one: Path, other: Path) -> bool:
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and os.readlink(one) == os.readlink(other)
    return other.is_file() and filecmp.cmp(one, other, shallow=False)


# --- commits


def targets_of(worktree: repository.Worktree) -> tuple[str, ...]:
    """Return the branches in which a worktree's commits may have arrived, the nearest first."""
    left = repository.base(worktree)
    first = left.ref if left else ""
    last = repository.default_ref(worktree.path, worktree.branch)
    follow = [
        git.answer(
            worktree.path,
            "rev-parse",
            "--symbolic-full-name",
            f"{repository.short(ref)}@{{upstream}}",
        )  # fmt: skip
        for ref in (first, last)
        if ref
    ]
    named = dict.fromkeys(ref for ref in (first, *follow, last) if ref and ref != worktree.branch)
    return tuple(ref for ref in named if repository.commit_of(worktree.path, ref))


def _unpushed(worktree: repository.Worktree) -> Iterator[Said]:
    if not worktree.head and (lost := _last_commit(worktree)):
        sentence = translatable("Its branch was deleted; its newest commit is {commit}.")
        yield Said(sentence, {"commit": lost[:8]})
    if not worktree.head:
        return
    targets = targets_of(worktree)
    count = git.output(
        worktree.path, "rev-list", "--count", worktree.head, "--not", "--remotes", *targets
    )
    if count != "0" and not any(is_in(worktree.path, worktree.head, ref) for ref in targets):
        yield Said(
            translatable("Its newest commits are neither pushed nor in {target}: {count}"),
            {"target": repository.short(targets[0]) if targets else "HEAD", "count": int(count)},
        )


def _last_commit(worktree: repository.Worktree) -> str:
    """Return the commit that a worktree was at last by its reflog, where its branch has none; or nothing."""
    try:
        lines = files.read(worktree.git_dir / "logs/HEAD").decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return ""
    last = lines[-1].split(" ")[1] if lines and " " in lines[-1] else ""
    return repository.commit_of(worktree.path, last) if last.strip("0") else ""


def is_in(folder: Path, commit: str, target: str) -> bool:
    """Return whether a target has what a commit brings: itself, the same patches, or all in one."""
    ran = git.run(folder, "merge-base", "--is-ancestor", commit, target)
    if ran.code == 0:
        return True
    left = git.answer(folder, "merge-base", commit, target)
    if not left:
        return False
    if git.version() >= SQUASH_NEEDS:
        merged = git.run(folder, "merge-tree", "--write-tree", target, commit)
        if merged.code == 0 and merged.text == git.output(
            folder, "rev-parse", f"{target}^{{tree}}"
        ):
            return True
    theirs = set(_patches(folder, f"{left}..{target}"))
    squashed = git.output(
        folder, *git.OURS, "commit-tree", "-p", left, "-m", "x", f"{commit}^{{tree}}"
    )
    if theirs.issuperset(_patches(folder, f"{left}..{squashed}")):
        return True
    if git.output(folder, "rev-list", "--count", "--merges", f"{left}..{commit}") != "0":
        return False
    return theirs.issuperset(_patches(folder, f"{left}..{commit}"))


def _patches(folder: Path, commits: str) -> Iterator[str]:
    """Yield what each commit changes, wherever in its files that is; blanks count, as they do not in `git cherry`."""
    told = git.run(
        folder, "log", "-p", "--no-merges", "--no-color", "--no-ext-diff", "--no-textconv",
        "--full-index", "--no-renames", f"--max-count={_COMMITS}", "--format=%x00", commits,
        check=True,
    ).out.decode("utf-8", "surrogateescape")  # fmt: skip
    for patch in told.split("\0")[1:]:
        has_binary = "Binary files" in patch  # which only their numbers tell apart
        lines = [
            "@@" if line.startswith("@@ ") else line
            for line in patch.strip("\n").split("\n")
            if has_binary or not re.match(r"index [0-9a-f]{40,}", line)
        ]
        yield "\n".join(lines)


def _own_refs(worktree: repository.Worktree) -> Iterator[Said]:
    """References below `refs/worktree` are this worktree's alone."""
    listed = git.output(worktree.path, "for-each-ref", "--format=%(refname)", "refs/worktree")
    for name in listed.splitlines():
        ran = git.run(
            worktree.path, "rev-list", "--count", name, "--not", "--remotes", "--branches",
            check=True,
        )  # fmt: skip
        if ran.text != "0":
            yield Said(translatable("Commits are nowhere but in its {ref}."), {"ref": name})


# --- repositories within it


def _submodules(worktree: repository.Worktree) -> Iterator[Said]:
    """Say which submodules have commits or stashes that are nowhere else: they go with the worktree."""
    modules = worktree.git_dir / "modules"
    repositories = {
        Path(folder): os.path.relpath(folder, modules)
        for folder, below, here in os.walk(modules)
        if "HEAD" in here and "objects" in below
    }
    for line in git.run(worktree.path, "ls-files", "-s", "-z", check=True).names:
        if line.startswith("160000 "):
            name = line.partition("\t")[2]
            if (worktree.path / name / ".git").is_dir():
                repositories[worktree.path / name / ".git"] = name
    for folder, name in repositories.items():
        heads = ["HEAD"] if repository.commit_of(folder, "HEAD") else []
        count = git.output(
            folder, "rev-list", "--count", *heads, "--branches", "--tags", "--not", "--remotes"
        )
        if count != "0":
            sentence = translatable("Commits of the submodule {name} are not pushed: {count}")
            yield Said(sentence, {"name": name, "count": int(count)})
        if repository.commit_of(folder, "refs/stash"):
            yield Said(translatable("The submodule {name} has a stash."), {"name": name})
