"""What hook events do to the current task, and the log of emergency stops.

Loaded only when such an event comes, since it brings git, processes and masking.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.guard.decide.branches import Checkout, Unknown
from nagomi_tui.guard.decide.events import Decision, ToolUse
from nagomi_tui.guard.files.git import Git
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.tasks import folder, shipped_texts, transcripts
from nagomi_tui.masking import mask

_GIT_SECONDS: Final = 1.2
"""Seconds that git may take of the two in which the hook must decide."""
_NEW_SESSION: Final = ("startup", "clear")


def edited(project: Project, use: ToolUse, done: Decision) -> Decision:
    """Update the state if the current task's own file was edited (D-42)."""
    state, told = folder.followed(project, use.targets, done.state, _now())
    return _with(msgspec.structs.replace(done, state=state), *told, tells_user=True)


def began(project: Project, source: str, done: Decision) -> Decision:
    """Tell a new session its current task, or the open tasks if there is none (DC-34, DC-41)."""
    if source not in _NEW_SESSION:
        return done
    transcripts.remove(project)
    told: list[str] = []
    if folder.tasks_folder(project).is_dir():
        state, opening = folder.opening(project, done.state, _now())
        done, told = msgspec.structs.replace(done, state=state), [opening]
    if number := done.state.own.chapter:
        told.append(shipped_texts.chapter(number))
    return _with(done, *told)


def for_subagent(
    project: Project, transcript: str, session_id: str, kind: str, done: Decision
) -> Decision:
    """Write the conversation into files for a new subagent (DC-35); a failure does not stop it."""
    try:
        transcripts.prepare(project, transcript, session_id, kind, time.time())
    except OSError as exc:
        notice = f"The conversation was not laid out for the subagent {kind}: {exc}"
        return msgspec.structs.replace(done, notices=(*done.notices, notice))
    return done


def _with(done: Decision, *told: str, tells_user: bool = False) -> Decision:
    notices = (*done.notices, *told) if tells_user else done.notices
    return msgspec.structs.replace(done, context=(*done.context, *told), notices=notices)


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


NAME: Final = "mode-revert-debug.log"
_LONGEST: Final = 200
"""Characters that are kept of a prompt."""
_LARGEST: Final = 256 * 1024
"""Bytes beyond which the log begins anew."""


def note_stop(project: Project, prompt: str, phrases: Sequence[str]) -> None:
    """Note a stop with its time, the beginning of its prompt, and the phrases that stop.

    A stop never fails for its log.
    """
    told = " ".join(mask(prompt[:_LONGEST]).split())
    line = f"{_now()} stopped by {told!r}; phrases: {', '.join(phrases)}\n".encode()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    with contextlib.suppress(OSError):
        fd = os.open(project.sessions / NAME, flags, 0o600)
        try:
            if os.fstat(fd).st_size > _LARGEST:
                os.ftruncate(fd, 0)
            os.write(fd, line)
        finally:
            os.close(fd)


def checkout_of(project: Project, relative: str, seconds: float = _GIT_SECONDS) -> Checkout:
    """Return what is checked out where a file of the project lies, or is to lie (DC-22).

    Raises:
        Unknown: it cannot be told, or not in time.
    """
    folder = existing(project.root / relative)
    git = Git(folder, seconds)
    places = git.lines("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    if len(places) < 3:
        raise Unknown("this is no git repository")
    top, own, common = (Path(os.path.realpath(folder / place)) for place in places)
    branch = git.line("symbolic-ref", "--quiet", "--short", "HEAD") or _rebased(own)
    commit = "" if branch else git.line("rev-parse", "--short", "HEAD")
    return Checkout(branch, commit, _submodule(project, top, common, git))


def existing(path: Path) -> Path:
    """Return the nearest folder upwards that is there: a new file's own need not be (DB-15)."""
    return next((folder for folder in path.parents if folder.is_dir()), Path(path.anchor or "/"))


def _submodule(project: Project, top: Path, common: Path, git: Git) -> str:
    """Return the folder of a repository within the project's; a worktree of the project is none."""
    if not top.is_relative_to(project.root) or top == project.root:
        return ""
    outer = git.line("-C", str(project.root), "rev-parse", "--git-common-dir")
    if outer and Path(os.path.realpath(project.root / outer)) == common:
        return ""
    return top.relative_to(project.root).as_posix()


def _rebased(git_folder: Path) -> str:
    """Return the branch that is being rebased, while its head is detached; empty if none is."""
    for name in ("rebase-merge", "rebase-apply"):
        try:
            ref = (git_folder / name / "head-name").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        return ref.removeprefix("refs/heads/")
    return ""
