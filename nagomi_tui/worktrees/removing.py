"""Takes worktrees away of which nothing is lost, keeps them for a time, and brings them back."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.words import Said, translatable
from nagomi_tui.worktrees import git, journal
from nagomi_tui.worktrees.looks import Inside, dangers, is_in, mounts_in, targets_of
from nagomi_tui.worktrees.repository import Repository, Worktree, noted, short

_DAY: Final = 86_400.0
_AT_ONCE: Final = 10.0
"""Seconds that clearing away may take of a command that does something else."""


class Unsafe(git.Fault):
    """A worktree must stay, and why."""

    def __init__(self, worktree: Worktree, reasons: Sequence[Said]) -> None:
        super().__init__(
            translatable("{folder} stays: {reason}"), folder=worktree.path, reason=reasons[0]
        )
        self.reasons = tuple(reasons)


def remove(
    repository: Repository, folder: Path, sessions: Callable[[], Sequence[Inside]], *,
    force: bool = False, with_branch: bool = False,
) -> str:  # fmt: skip
    """Take the worktree at a folder away, if nothing is lost; return the name by which it is brought back.

    Raises:
        Unsafe: something would be lost.
        Fault: it cannot be taken away; it is where it was.
    """
    with journal.locked(repository) as work:
        worktree = _at(repository, folder)
        # Just before, so that what has changed since somebody asked counts.
        if reasons := dangers(worktree, sessions, force=force):
            raise Unsafe(worktree, reasons)
        name = f"{worktree.name}-{time.time_ns():x}"
        ref, commit = (worktree.branch, worktree.head) if with_branch else ("", "")
        work.note("remove", journal.SetAside(name, str(worktree.path), ref, commit if ref else ""))
        try:
            work.do()
        except (OSError, git.Fault):
            if worktree.path.exists() and worktree.git_dir.exists():
                work.done()
                shutil.rmtree(journal.kept_folder(work.common) / name, ignore_errors=True)
            raise
        return name


def _at(repository: Repository, folder: Path) -> Worktree:
    real = os.path.realpath(folder)
    for one in repository.worktrees():
        if os.path.realpath(one.path) == real:
            return one
    raise git.Fault("There is no worktree at {folder}.", folder=folder)


# --- back again


def kept(repository: Repository) -> tuple[tuple[str, journal.Kept], ...]:
    """Return the worktrees that can be brought back with their names, the last one first."""
    return tuple(sorted(_records(repository.common), key=lambda one: -one[1].since))


def _records(common: Path) -> Iterator[tuple[str, journal.Kept]]:
    for path in journal.kept_folder(common).glob(f"*/{journal.RECORD}"):
        try:
            record = from_builtins(json.loads(files.read(path)), journal.Kept)
        except (OSError, ValueError, msgspec.ValidationError):
            continue
        if os.path.lexists(record.aside) and (path.parent / journal.ADMIN).is_dir():
            yield path.parent.name, record


def undo(repository: Repository, name: str = "") -> Worktree:
    """Bring a worktree back that was taken away: the last one, or one by the beginning of its name.

    Raises:
        Fault: there is none, or its place or branch is taken.
    """
    with journal.locked(repository) as work:
        found = [one for one in kept(repository) if one[0].startswith(name)]
        if not found:
            raise git.Fault("No worktree that was taken away can be brought back.")
        whole, record = found[0]
        if os.path.lexists(record.folder):
            raise git.Fault("{folder} is there already.", folder=record.folder)
        head = os.fsdecode(
            files.read(journal.kept_folder(work.common) / whole / journal.ADMIN / "HEAD")
        ).strip()
        branch = head.removeprefix("ref: ") if head.startswith("ref: ") else ""
        for one in repository.worktrees():
            if branch and one.branch == branch:
                raise git.Fault(
                    "The branch {branch} is checked out at {folder} by now.",
                    branch=short(branch), folder=one.path,
                )  # fmt: skip
        work.note("undo", journal.BringBack(whole, _free(work.common, record.admin), record))
        work.do()
        return _at(repository, Path(record.folder))


def _free(common: Path, name: str) -> str:
    """Return a name under which no worktree is registered."""
    number, found = 0, name
    while (common / "worktrees" / found).exists():
        number += 1
        found = f"{name}{number}"
    return found


def clear(repository: Repository, days: float) -> None:
    """Delete what was kept for longer than some days, for a few seconds at most."""
    until = time.monotonic() + _AT_ONCE
    with journal.locked(repository) as work:
        for name, record in kept(repository):
            aged = time.time() - record.since > days * _DAY
            if (
                aged
                and Path(record.aside).parent.name == ".nagomi-removed"
                and time.monotonic() < until
                and not mounts_in(record.aside)
            ):
                shutil.rmtree(record.aside, ignore_errors=True)
                if not os.path.lexists(record.aside):
                    journal.unpin(work, name)
                    shutil.rmtree(journal.kept_folder(work.common) / name, ignore_errors=True)


# --- those whose work is done


class Gone(NamedTuple):
    """A worktree whose branch is merged, or deleted at the remote."""

    worktree: Worktree
    why: Said
    reasons: tuple[Said, ...]
    """Why it stays all the same; nothing if it can be taken away."""


def gone(repository: Repository, sessions: Callable[[], Sequence[Inside]]) -> tuple[Gone, ...]:
    """Return the worktrees whose branch is merged or was deleted at the remote."""
    found = []
    for one in repository.worktrees():
        if one.is_main or one.missing or one.agent:
            continue
        if (why := _over(repository, one)) is not None:
            found.append(Gone(one, why, dangers(one, sessions)))
    return tuple(found)


def _over(repository: Repository, worktree: Worktree) -> Said | None:
    """Return why the work of a branch is over; None if it is not."""
    if not worktree.branch or not worktree.head:
        return None
    track = git.output(
        repository.common, "for-each-ref", "--format=%(upstream:track)", worktree.branch
    )
    if "gone" in track:
        return Said(translatable("its branch was deleted at the remote"), {})
    if not _has_begun(repository, worktree):
        return None
    for ref in targets_of(worktree):
        if is_in(worktree.path, worktree.head, ref):
            return Said(translatable("its branch is merged into {target}"), {"target": short(ref)})
    return None


def _has_begun(repository: Repository, worktree: Worktree) -> bool:
    """Return whether something was ever committed on a branch: one just made is in its base, too."""
    note = noted(worktree)
    if note is not None and note.commit:
        return worktree.head != note.commit
    log = git.answer(repository.common, "reflog", "show", "--format=%H", worktree.branch, "--")
    return len(set(log.split())) > 1
