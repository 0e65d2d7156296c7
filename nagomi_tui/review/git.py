"""Runs git with a time limit, and without any program that a repository's settings name.

Trees of a project's files are made in a shadow repository in our state folder. It borrows the objects
of the project's own repository, and takes no lock and writes no reference there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from typing import TYPE_CHECKING, Final

from nagomi_tui.system import files, paths
from nagomi_tui.system.children import OWN_GROUP, end_group
from nagomi_tui.text.words import translatable
from nagomi_worker.runtime.files import Busy, FileLock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

SECONDS: Final = 60.0
_SETTINGS: Final = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "core.safecrlf=false",
    "core.looseCompression=1", "gc.auto=0", "core.bigFileThreshold=4m", "advice.addEmbeddedRepo=false",
)  # fmt: skip
BYTE_BY_BYTE: Final = "* -text -filter -ident -working-tree-encoding -eol"
"""Attributes by which every file is kept as it is."""
NO_PROGRAMS: Final = "* -filter"
"""Attributes by which line ends are converted as in the project, and no filter's program runs."""
_KEPT: Final = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
_QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C.UTF-8",
}  # fmt: skip


class GitFault(RuntimeError):
    """A git command failed: `str` is git's own reason, `sentence` a key of the catalog with its values."""

    def __init__(self, told: str, sentence: str = "", /, **values: object) -> None:
        super().__init__(told)
        self.sentence = sentence or translatable("git says: {reason}")
        self.values = values or {"reason": told.partition("\n")[0]}


class Late(GitFault):
    """A git command took too long."""


def run_git(
    command: Sequence[str], *, cwd: Path | str, env: dict[str, str], given: bytes = b"",
    seconds: float = SECONDS, most: int = 0, own: bool = False,
) -> tuple[int, bytes, str]:  # fmt: skip
    """Run git to its end, or until it has printed `most` bytes; return its code and what it printed.

    With `own`, the repository's settings hold, as when the user runs it: its hooks run.

    Raises:
        GitFault: there is no git or no such folder, or it took too long.
    """
    settings = [part for one in _SETTINGS if not own for part in ("-c", one)]
    try:
        process = subprocess.Popen(
            ["git", "--no-pager", *settings, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            **OWN_GROUP,
        )
    except FileNotFoundError as exc:
        if os.path.isdir(cwd):
            raise GitFault(str(exc), translatable("git is not installed.")) from exc
        sentence = translatable("The folder {folder} does not exist.")
        raise GitFault(str(exc), sentence, folder=cwd) from exc
    except OSError as exc:
        sentence = translatable("git cannot be started: {reason}.")
        raise GitFault(str(exc), sentence, reason=exc.strerror or exc) from exc
    with process:
        try:
            if most:
                return _read_some(process, most, seconds)
            out, fault = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired as exc:
            raise Late(
                str(exc),
                translatable("git did not answer within {seconds:g} seconds."),
                seconds=seconds,
            ) from exc
        finally:
            if process.returncode is None:
                end_group(process)
    return process.returncode, out, fault.decode("utf-8", "replace").strip()


def _read_some(
    process: subprocess.Popen[bytes], most: int, seconds: float
) -> tuple[int, bytes, str]:
    """Read no more than so much of what a process prints; the rest of it is not waited for."""
    from threading import Timer

    assert process.stdin and process.stdout and process.stderr
    process.stdin.close()
    late = Timer(seconds, end_group, (process,))
    late.daemon = True
    late.start()
    try:
        out = process.stdout.read(most)
        if len(out) == most:
            end_group(process)
            process.wait()
            return 0, out, ""
        fault = process.stderr.read(64 * 1024).decode("utf-8", "replace").strip()
        code = process.wait()
    finally:
        was_late = late.finished.is_set()
        late.cancel()
    if code < 0 and was_late:
        raise subprocess.TimeoutExpired("git", seconds)
    return code, out, fault


def environment() -> dict[str, str]:
    """Return the variables that git needs, and none that lead it to another repository."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _QUIET


def ask(
    folder: Path | str, *arguments: str, codes: Sequence[int] = (0,), seconds: float = 10.0
) -> bytes:
    """Return what git prints in a folder of the user's; only for commands that read.

    Raises:
        GitFault: its exit code is not one of `codes`, or it took too long.
    """
    code, out, fault = run_git(arguments, cwd=folder, env=environment(), seconds=seconds)
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
        self._settings = [part for one in settings for part in ("-c", one)]
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
            [*self._settings, *arguments],
            cwd=self.folder if bare else self.root,
            env=environment()
            | {"GIT_CONFIG_NOSYSTEM": "1"}
            | ({} if bare else self._places(index)),
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
    """Return the paths in a list that NUL bytes end."""
    return tuple(os.fsdecode(path) for path in told.split(b"\0") if path)
