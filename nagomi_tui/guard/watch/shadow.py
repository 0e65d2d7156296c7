"""A shadow repository: snapshots of a project's files, in a git repository of nagomi's own.

It reads the objects and the ignore rules of the project's repository, and changes nothing there:
it takes no lock and writes no reference. Programs named in that repository's settings do not run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SECONDS: Final = 60.0
_SETTINGS: Final = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "core.autocrlf=false",
    "core.safecrlf=false", "core.looseCompression=1", "gc.auto=0", "core.bigFileThreshold=4m",
    "advice.addEmbeddedRepo=false",
)  # fmt: skip
_AS_THEY_ARE: Final = b"* -text -filter -ident -working-tree-encoding -eol\n"
"""For git's attributes: every file is kept byte by byte."""
_KEPT: Final = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}


class GitFault(RuntimeError):
    """A git command failed; the message is git's."""


class Shadow:
    """The shadow repository of one project; only one process at a time may use it."""

    def __init__(self, root: Path, own: Path) -> None:
        """`own` is the folder of the project's own repository."""
        self.root = root
        self.folder = _folder(root)
        self._own = own

    def make(self) -> None:
        """Create the repository if it does not exist, and write its attributes file.

        Raises:
            GitFault: git cannot create it.
            OSError: its folder cannot be written.
        """
        if not (self.folder / "HEAD").is_file():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.run("init", "--quiet", "--bare", "--template=", str(self.folder), bare=True)
        (self.folder / "info").mkdir(exist_ok=True)
        files.write(self.folder / "info/attributes", _AS_THEY_ARE)

    def ignore(self, paths: Iterable[str]) -> None:
        """Exclude these paths, relative to the project, and those its own repository excludes.

        Raises:
            OSError: its folder cannot be written.
        """
        own = b""
        with contextlib.suppress(OSError):
            own = files.read(self._own / "info/exclude")
        lines = "".join(f"/{_literal(path)}\n" for path in paths)
        files.write(self.folder / "info/exclude", own + b"\n" + lines.encode("utf-8", "replace"))

    def run(
        self, *arguments: str, given: bytes = b"", index: str = "index", bare: bool = False,
        codes: Sequence[int] = (0,),
    ) -> bytes:  # fmt: skip
        """Run git on the project's files with the shadow's index, and return what it prints.

        Raises:
            GitFault: its exit code is not one of `codes`, or it took too long.
        """
        settings = [part for one in _SETTINGS for part in ("-c", one)]
        try:
            done = subprocess.run(
                ["git", "--no-pager", *settings, *arguments],
                input=given,
                capture_output=True,
                cwd=self.folder if bare else self.root,
                env=self._environment(index, bare=bare),
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise GitFault(str(exc)) from exc
        if done.returncode not in codes:
            raise GitFault(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout

    def _environment(self, index: str, *, bare: bool) -> dict[str, str]:
        env = {name: os.environ[name] for name in _KEPT if name in os.environ} | _QUIET
        if bare:
            return env
        return env | {
            "GIT_DIR": str(self.folder),
            "GIT_WORK_TREE": str(self.root),
            "GIT_INDEX_FILE": str(self.folder / index),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self._own / "objects"),
        }


def own_repository(root: Path) -> Path | None:
    """Return the folder of a project's own repository, with its objects; None where there is none."""
    git = root / ".git"
    if git.is_dir():
        return git
    with contextlib.suppress(OSError):
        key, _, target = files.read(git).decode("utf-8", "replace").partition(":")
        if key == "gitdir":
            return _common(root / target.strip())
    return None


def _common(git: Path) -> Path:
    """Return the repository that a worktree shares with others."""
    with contextlib.suppress(OSError):
        return (git / files.read(git / "commondir").decode("utf-8", "replace").strip()).resolve()
    return git


def _folder(root: Path) -> Path:
    name = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()
    return Path(folders.state()) / "guard" / f"{name[:32]}.git"


def _literal(path: str) -> str:
    """Return a path as an ignore pattern that matches only this path."""
    return "".join(f"\\{char}" if char in "\\*?[!# " else char for char in path.strip("/"))
