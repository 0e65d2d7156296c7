"""Finds the repository and the branch that a file is on (DC-22, DB-15)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from nagomi_tui.guard.decide.branches import Checkout, Unknown
from nagomi_tui.guard.files.git import SECONDS, Git

if TYPE_CHECKING:
    from nagomi_tui.guard.files.project import Project


def checkout_of(project: Project, relative: str, seconds: float = SECONDS) -> Checkout:
    """Return what is checked out where a file of the project lies, or is to lie.

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
