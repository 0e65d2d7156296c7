"""Finds the repository and the branch that a file is on (DC-22, DB-15)."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.decide.branches import Checkout, Unknown

if TYPE_CHECKING:
    from nagomi_tui.guard.files.project import Project

SECONDS: Final = 2.0
"""Seconds that all git commands about one file may take together."""
_SAFE: Final = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "--no-optional-locks",
)


class Git:
    """Runs git in a folder, with one deadline for all commands together."""

    def __init__(self, folder: Path, seconds: float = SECONDS) -> None:
        self._folder = folder
        self._until = time.monotonic() + seconds

    def lines(self, *arguments: str) -> list[str]:
        """Return what git prints; nothing where it says no.

        Raises:
            Unknown: there is no git, or it takes too long.
        """
        command = ["git", *_SAFE, "-C", str(self._folder), *arguments]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                timeout=max(self._until - time.monotonic(), 0.001),
            )
        except subprocess.TimeoutExpired as exc:
            raise Unknown("git does not answer in time") from exc
        except OSError as exc:
            raise Unknown(f"git cannot be run ({exc.strerror})") from exc
        return (
            done.stdout.decode("utf-8", "surrogateescape").splitlines()
            if not done.returncode
            else []
        )

    def line(self, *arguments: str) -> str:
        """Return the first line of what git prints; empty where it says no."""
        return next(iter(self.lines(*arguments)), "")


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


def _environment() -> dict[str, str]:
    """Return the environment without variables that point git to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
