"""Shadow repository: what has changed since the last approval, and undoing it.

It reads the objects and the ignore rules of the project's repository, and changes nothing there:
it takes no lock and writes no reference. Programs named in that repository's settings do not run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.guard.files.documents import held
from nagomi_tui.system import files, folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nagomi_tui.guard.decide.documents import Config
    from nagomi_tui.guard.files.project import Project

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


_LOCK_SECONDS: Final = 60.0
_OWN_FOLDER: Final = "sessions"
"""Where the guard and the tasks are; the guard's files are sealed another way."""


class Change(NamedTuple):
    """A difference between two snapshots of a project."""

    before: str
    """Object id of the earlier git tree."""
    after: str
    """Object id of the later git tree."""
    paths: tuple[str, ...]
    """Files that were added, changed or removed, relative to the project."""


class Undone(NamedTuple):
    """Files that were restored (`paths`), and those left as they had changed again (`left`)."""

    paths: tuple[str, ...]
    left: tuple[str, ...]


class TreeWatch:
    """Compares a project's files, untracked ones too, with the last stored snapshot.

    Ignored files, submodules, and paths that may be written in discussion are left out. Every
    method blocks, for about as long as `git status`.
    """

    def __init__(self, project: Project, shadow: Shadow, config: Config) -> None:
        self._project = project
        self._shadow = shadow
        self._allowed = config.blocked_actions.discussion_allowed_paths

    def begin(self) -> str:
        """Store a snapshot to compare with from now on; return the object id of its tree.

        Raises:
            GitFault: a git command failed.
            OSError: the shadow cannot be written.
        """
        with self._locked():
            tree = self._snapshot()
            files.write(self._baseline, tree.encode())
        return tree

    def look(self) -> Change | None:
        """Return what has changed; None if nothing has, or no snapshot was stored yet.

        Raises:
            GitFault: a git command failed.
            OSError: the shadow cannot be written.
        """
        with self._locked():
            before = self._before()
            after = self._snapshot() if before else ""
            return None if before == after else self._change(before, after)

    def diff(self, change: Change) -> str:
        """Return the change as a git diff.

        Raises:
            GitFault: a git command failed.
        """
        shown = self._shadow.run(
            "diff-tree", "-p", "--no-color", "--no-ext-diff", "--no-textconv", "-M",
            change.before, change.after,
        )  # fmt: skip
        return shown.decode("utf-8", "replace")

    def undo(self, change: Change) -> Undone:
        """Restore changed files, except those that have changed again since the change was found.

        The undone content stays in the shadow repository, in the tree `change.after`.

        Raises:
            GitFault: a git command failed.
            OSError: a file cannot be written.
        """
        with self._locked():
            since = self._change(change.after, self._snapshot()).paths
            left = tuple(path for path in change.paths if path in since)
            paths = tuple(path for path in change.paths if path not in since)
            kept = self._listed(change.before)
            self._shadow.run("read-tree", change.before, index="undo")
            back = [path for path in paths if path in kept]
            self._remove(path for path in paths if path not in kept)
            self._shadow.run(
                "checkout-index", "--force", "-z", "--stdin",
                given=b"".join(os.fsencode(path) + b"\0" for path in back), index="undo",
            )  # fmt: skip
        return Undone(paths, left)

    # --- steps

    @property
    def _baseline(self) -> Path:
        return self._shadow.folder / "baseline"

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        self._shadow.make()
        return held(self._shadow.folder / "lock", _LOCK_SECONDS)

    def _before(self) -> str:
        try:
            return files.read(self._baseline).decode("ascii", "replace")
        except FileNotFoundError:
            return ""

    def _snapshot(self) -> str:
        """Store the files as they are now; one that cannot be read keeps its earlier content."""
        self._shadow.ignore((_OWN_FOLDER, *self._allowed))
        self._shadow.run("add", "--all", "--ignore-errors", ".", codes=(0, 1))
        return self._shadow.run("write-tree").decode().strip()

    def _change(self, before: str, after: str) -> Change:
        names = self._shadow.run("diff-tree", "-r", "-z", "--name-only", before, after)
        return Change(before, after, _paths(names))

    def _listed(self, tree: str) -> frozenset[str]:
        return frozenset(_paths(self._shadow.run("ls-tree", "-r", "-z", "--name-only", tree)))

    def _remove(self, paths: Iterable[str]) -> None:
        root = os.path.realpath(self._project.root)
        for path in paths:
            place = os.path.join(root, path)
            # A symbolic link in the path may lead out of the project.
            if os.path.realpath(os.path.dirname(place)) == os.path.dirname(place):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(place)
                _remove_empty(os.path.dirname(place), root)


def watch(project: Project, config: Config) -> TreeWatch | None:
    """Return the watch over a project; None if the project has no git repository."""
    own = own_repository(project.root)
    return TreeWatch(project, Shadow(project.root, own), config) if own else None


def _remove_empty(folder: str, root: str) -> None:
    """Remove a folder if it is empty, then its parents likewise, up to the root."""
    while folder != root:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _paths(told: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(path) for path in told.split(b"\0") if path)
