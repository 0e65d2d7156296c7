"""Runs git on a project's files in a shadow repository, without any program that its settings name.

Trees of a project's files are made in a shadow repository in our state folder. It borrows the objects
of the project's own repository, and takes no lock and writes no reference there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from nagomi_tui.system import files, paths
from nagomi_tui.system.git import NO_PROGRAMS, SECONDS, GitFault, environment, run_git
from nagomi_tui.text.words import translatable
from nagomi_worker.runtime.files import Busy, FileLock

SETTINGS: Final = (
    *NO_PROGRAMS, "core.quotePath=false", "core.safecrlf=false", "core.looseCompression=1",
    "core.bigFileThreshold=4m", "advice.addEmbeddedRepo=false",
)  # fmt: skip
"""What holds wherever git is only to read or to make trees."""
BYTE_BY_BYTE: Final = "* -text -filter -ident -working-tree-encoding -eol"
"""Attributes by which every file is kept as it is."""
NO_FILTERS: Final = "* -filter"
"""Attributes by which line ends are converted as in the project, and no filter's program runs."""


def ask(
    folder: Path | str, *arguments: str, codes: Sequence[int] = (0,), seconds: float = 10.0
) -> bytes:
    """Return what git prints in a folder of the user's; only for commands that read.

    Raises:
        GitFault: its exit code is not one of `codes`, or it took too long.
    """
    code, out, fault = run_git(
        arguments, cwd=folder, env=environment(), settings=SETTINGS, seconds=seconds
    )
    if code not in codes:
        raise GitFault(fault or f"exit code {code}")
    return out


class Shadow:
    """The shadow repository of one project; only one process at a time may use its indexes."""

    def __init__(
        self, root: Path, own: Path, *, kind: str = "guard", attributes: str = BYTE_BY_BYTE,
        settings: Sequence[str] = ("core.autocrlf=false",), objects: str = "sha1",
    ) -> None:  # fmt: skip
        """`own` is the folder of the project's own repository; `settings` are added to ours.

        The shadow lies in the folder `kind` of our state folder.
        """
        self.root = root
        name = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()
        self.folder = paths.state_folder() / kind / f"{name[:32]}.git"
        self._own = own
        self._attributes = attributes
        self._settings = settings
        self._objects = objects

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[None]:
        """Hold the repository for ourselves; it is created if it does not exist.

        Raises:
            GitFault: another process holds it for longer than `seconds`, or git cannot create it.
            OSError: its folder cannot be written.
        """
        paths.make_private(paths.state_folder())
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(self.folder / "lock")
        try:
            lock.take(patience=seconds)
        except Busy as exc:
            sentence = translatable("Another nagomi is still looking at {folder}; try again.")
            raise GitFault(str(exc), sentence, folder=self.root) from exc
        try:
            self._make()
            yield
        finally:
            lock.release()

    def _make(self) -> None:
        if not (self.folder / "info/attributes").is_file():  # written last
            kind = () if self._objects == "sha1" else (f"--object-format={self._objects}",)
            self.run("init", "--quiet", "--bare", "--template=", *kind, str(self.folder), bare=True)
        (self.folder / "info").mkdir(exist_ok=True)
        wanted = self._attributes.encode() + b"\n"
        with contextlib.suppress(OSError):
            if files.read(self.folder / "info/attributes") == wanted:
                return
        files.write(self.folder / "info/attributes", wanted)

    def ignore(self, names: Iterable[str], *patterns: str) -> None:
        """Exclude these paths, relative to the project, and those its own repository excludes.

        `patterns` are added as git has them.

        Raises:
            OSError: its folder cannot be written.
        """
        own = b""
        with contextlib.suppress(OSError):
            own = files.read(self._own / "info/exclude")
        lines = "".join(f"/{_literal(name)}\n" for name in names)
        lines += "".join(f"{pattern}\n" for pattern in patterns)
        wanted = own + b"\n" + lines.encode("utf-8", "replace")
        with contextlib.suppress(OSError):
            if files.read(self.folder / "info/exclude") == wanted:
                return
        files.write(self.folder / "info/exclude", wanted)

    def run(
        self, *arguments: str, given: bytes = b"", index: str = "index", bare: bool = False,
        codes: Sequence[int] = (0,), seconds: float = SECONDS, most: int = 0,
    ) -> bytes:  # fmt: skip
        """Run git on the project's files with the shadow's index, and return what it prints.

        Raises:
            GitFault: its exit code is not one of `codes`, or it took too long.
        """
        code, out, fault = run_git(
            arguments,
            cwd=self.folder if bare else self.root,
            env=environment()
            | {"GIT_CONFIG_NOSYSTEM": "1"}
            | ({} if bare else self._places(index)),
            settings=(*SETTINGS, *self._settings),
            given=given,
            seconds=seconds,
            most=most,
        )
        if code not in codes:
            raise GitFault(fault or f"exit code {code}")
        return out

    def _places(self, index: str) -> dict[str, str]:
        return {
            "GIT_DIR": str(self.folder),
            "GIT_WORK_TREE": str(self.root),
            "GIT_INDEX_FILE": str(self.folder / index),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(self._own / "objects"),
        }


def own_repository(root: Path) -> Path | None:
    """Return the folder of a project's own repository, with its objects; None where there is none."""
    git = root / ".git"
    if git.is_dir():
        return git
    with contextlib.suppress(OSError):
        key, _, target = files.read(git).decode("utf-8", "surrogateescape").partition(":")
        if key == "gitdir":
            return _common(root / target.strip())
    return None


def _common(git: Path) -> Path:
    """Return the repository that a worktree shares with others."""
    with contextlib.suppress(OSError):
        common = files.read(git / "commondir").decode("utf-8", "surrogateescape")
        return (git / common.strip()).resolve()
    return git


def _quoted(path: Path) -> str:
    """Return a path as an element of git's lists of paths, where a colon would end it."""
    text = str(path)
    if ":" not in text and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _literal(path: str) -> str:
    """Return a path as an ignore pattern that matches only this path."""
    return "".join(f"\\{char}" if char in "\\*?[!# " else char for char in path.strip("/"))


def paths_in(told: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(path) for path in told.split(b"\0") if path)
