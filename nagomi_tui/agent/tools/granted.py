"""What tools work with, and the folders that they may touch, opened so that no link leads out of them."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from nagomi_tui.agent.providers.interface import Clock, Mask
from nagomi_tui.agent.tools.interface import Actor, Given, Reader, ToolFault, Workplace
from nagomi_tui.guard.decide.events import ToolUse
from nagomi_tui.guard.decide.tools import before_tool
from nagomi_tui.guard.files.project import find, locate
from nagomi_tui.guard.files.state import Broken, read_config, read_state
from nagomi_tui.sessions.session import Session
from nagomi_tui.shell.classifier import classify
from nagomi_tui.text.words import Said, Words, translatable

_Given = TypeVar("_Given", bound=Given)
_NEVER_WRITTEN: Final = frozenset({".git", ".sessions"})
"""Folder names below which tools never write.

Files in `.git` can make git run programs; a conversation in `.sessions` has a single writer.
"""


class Place(NamedTuple):
    """A resolved path within a granted folder."""

    root: Path
    relative: Path

    @property
    def path(self) -> Path:
        """The absolute path."""
        return self.root / self.relative

    @property
    def above(self) -> Place:
        """The folder that contains this place; for the root, the root itself."""
        return self._replace(relative=self.relative.parent)


class Outside(ToolFault):
    """A path is in no folder that the user has granted, or only reading is granted there."""

    def __init__(self, sentence: Said, path: Path) -> None:
        super().__init__(sentence)
        self.path = path


class HoldsSecrets(ToolFault):
    """A file may hold secrets, so that reading it needs a yes of its own."""

    def __init__(self, path: Path) -> None:
        super().__init__(Said(_MAY_HOLD, {"path": path}))
        self.path = path


_MAY_HOLD: Final = translatable("{path} may hold secrets; the user was not asked.")
_ZERO: Final = translatable("A path cannot hold a zero byte.")
_NOWHERE: Final = translatable("'{path}' leads nowhere: {fault}.")
_HIDDEN: Final = translatable("'{path}' is in nagomi's own folders, which no tool reads.")
_OUTSIDE: Final = translatable(
    "'{path}' is not in a folder that the user has granted. Granted: {granted}. "
    "The user can grant one by `/folder`."
)
_ONLY_READ: Final = translatable("In {folder} tools only read; a session there can write.")
_KEPT: Final = translatable("'{path}' is kept by programs; tools only read there.")
_BROKEN_GUARD: Final = translatable("The guard of {folder} cannot be read, so nothing is written.")
_GUARD_DENIES: Final = translatable("The guard does not allow it.")


class Granted:
    """The agent's workspace, and the folders that the user has granted.

    Granting a folder does not grant a `hidden` folder below it, such as nagomi's own state. But a
    folder inside a hidden one can be granted; the workspace may be such a folder.
    """

    def __init__(
        self,
        workspace: Path,
        folders: Iterable[Path] = (),
        *,
        hidden: Iterable[Path] = (),
        read: Callable[[], Iterable[Path]] = tuple,
        is_secret: Callable[[Path], bool] = lambda path: False,
    ) -> None:
        """`read` returns the folders that may be read and not written, at each use."""
        self.workspace = _real(workspace)
        self.roots = tuple(dict.fromkeys([self.workspace, *map(_real, folders)]))
        self._hidden = tuple(map(_real, hidden))
        self._read = read
        self._is_secret = is_secret
        self._allowed: dict[Path, None] = {}
        """Folders that may be read in this conversation."""
        self._secrets: set[Path] = set()
        """Files that may be read by the call that is under way although they may hold secrets."""

    @property
    def readable(self) -> tuple[Path, ...]:
        """The folders that may be read and not written; a link in the place of one is none."""
        return tuple(
            one for one in dict.fromkeys([*self._read(), *self._allowed]) if _real(one) == one
        )

    def allow(self, folder: Path) -> None:
        """Allow reading in a folder, in this conversation."""
        self._allowed[_real(folder)] = None

    def disallow(self, folder: Path) -> None:
        """Take that back."""
        self._allowed.pop(_real(folder), None)

    def allow_secret(self, path: Path) -> None:
        """Allow reading a file that may hold secrets, until `forget_secrets`."""
        self._secrets.add(path)

    def forget_secrets(self) -> None:
        """Ask again for each file that may hold secrets."""
        self._secrets.clear()

    def check_secrets(self, place: Place) -> None:
        """Check that a file may be read by what it holds; in the workspace all may.

        Raises:
            HoldsSecrets: it may hold secrets, and the user was not asked.
        """
        if place.root == self.workspace or place.path in self._secrets:
            return
        if self._is_secret(place.path):
            raise HoldsSecrets(place.path)

    def place(self, path: str) -> Place:
        """Return the place of a path, with links resolved (SB-17).

        A relative path begins in the workspace.

        Raises:
            ToolFault: the path is not valid, or leads out of the granted folders.
        """
        if "\0" in path:
            raise ToolFault(Said(_ZERO, {}))
        try:
            real = _real(self.workspace / path)
        except (OSError, ValueError) as exc:
            raise ToolFault(Said(_NOWHERE, {"path": path, "fault": exc})) from exc
        roots = (*self.roots, *self.readable)
        root = _innermost(roots, real)
        hidden = _innermost(self._hidden, real)
        if hidden is not None and (root is None or hidden not in root.parents):
            raise ToolFault(Said(_HIDDEN, {"path": path}))
        if root is None:
            granted = ", ".join(map(str, roots))
            raise Outside(Said(_OUTSIDE, {"path": path, "granted": granted}), real)
        return Place(root, real.relative_to(root))

    def writable(self, path: str) -> Place:
        """Return the place of a path that tools may write.

        Raises:
            ToolFault: `place` refuses the path, or tools never write there.
        """
        place = self.place(path)
        if place.root not in self.roots:
            raise ToolFault(Said(_ONLY_READ, {"folder": place.root}))
        if any(part.casefold() in _NEVER_WRITTEN for part in place.path.parts):
            raise ToolFault(Said(_KEPT, {"path": path}))
        return place


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _innermost(folders: Iterable[Path], path: Path) -> Path | None:
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)


READ_LIMIT: Final = 1024 * 1024
"""The largest file that is read, in bytes."""


def _flags(*names: str) -> int:
    return sum(getattr(os, name, 0) for name in names)


_CAREFUL: Final = _flags("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", "O_NOFOLLOW")
_FOLDER: Final = os.O_RDONLY | _flags("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
_BY_FD: Final = os.open in os.supports_dir_fd
"""Whether a path can be opened relative to a folder; if not (on Windows), it is opened whole."""


class Content(NamedTuple):
    """A file's bytes and its status when they were read."""

    data: bytes
    found: os.stat_result


class _Parent(NamedTuple):
    """An open folder and a name in it; if `fd` is None, `name` is a whole path."""

    fd: int | None
    name: str


def read(place: Place, limit: int = READ_LIMIT) -> Content:
    """Return the content of a regular file of at most `limit` bytes.

    Raises:
        OSError: the file is missing, not regular, too large, or cannot be read.
    """
    with _parent(place) as parent:
        return _read(parent, limit)


def entries(place: Place) -> list[tuple[str, os.stat_result]]:
    """Return the name and status of each entry in a folder; links are not followed.

    Raises:
        OSError: the place is no folder, or cannot be read.
    """
    with _folder(place) as folder:
        found = []
        with os.scandir(folder) as listing:
            for entry in listing:
                with contextlib.suppress(OSError):
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
        return found


def write(place: Place, data: bytes, before: Content | None) -> None:
    """Replace a file that still has the content `before`; make a new one if `before` is None.

    The file is replaced in one step, and keeps its permissions.

    Raises:
        FileExistsError: the file was changed, made or removed since `before` was read.
        OSError: the file cannot be written; its former content is still there.
    """
    with _parent(place) as parent:
        spare = _Parent(parent.fd, _spare_name(parent.name))
        try:
            _make(spare, data, stat.S_IMODE(before.found.st_mode) if before else None)
            _check_same(parent, before, place)
            if before is None:
                _put_new(spare, parent)
            else:
                os.replace(spare.name, parent.name, src_dir_fd=parent.fd, dst_dir_fd=parent.fd)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(spare.name, dir_fd=parent.fd)
        if parent.fd is not None:
            os.fsync(parent.fd)


# --- steps


@contextmanager
def _folder(place: Place) -> Iterator[int | str]:
    """Open a folder step by step from its root, and refuse symbolic links on the way.

    Yield its file descriptor, or its path if the system cannot do that.
    """
    if not _BY_FD:
        yield str(place.path)
        return
    fd = os.open(place.root, _FOLDER)
    try:
        for part in place.relative.parts:
            below = os.open(part, _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)


@contextmanager
def _parent(place: Place) -> Iterator[_Parent]:
    if not place.relative.parts:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with _folder(place.above) as folder:
        if isinstance(folder, int):
            yield _Parent(folder, place.relative.name)
        else:
            yield _Parent(None, str(Path(folder) / place.relative.name))


def _read(parent: _Parent, limit: int) -> Content:
    # Opening a device can have effects of its own, so the kind of file is checked first.
    _check_regular(os.stat(parent.name, dir_fd=parent.fd, follow_symlinks=False))
    fd = os.open(parent.name, os.O_RDONLY | _CAREFUL, dir_fd=parent.fd)
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        _check_regular(found)
        data = b"" if found.st_size > limit else file.read(limit + 1)
    if max(found.st_size, len(data)) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return Content(data, found)


def _check_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")


def _spare_name(name: str) -> str:
    folder, base = os.path.split(name)
    return os.path.join(folder, f".{base[:100]}.{secrets.token_hex(6)}.nagomi")


def _make(spare: _Parent, data: bytes, mode: int | None) -> None:
    """Write a new file with the permissions `mode`; if None, 0o666 less the umask."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL
    fd = os.open(spare.name, flags, 0o666 if mode is None else 0o600, dir_fd=spare.fd)
    with open(fd, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(fd)
    if mode is not None:
        os.chmod(spare.name, mode, dir_fd=spare.fd)


def _check_same(parent: _Parent, before: Content | None, place: Place) -> None:
    """Raise `FileExistsError` unless the file's content and permissions are those of `before`.

    If `before` is None, the file must not exist.
    """
    now: Content | None = None
    with contextlib.suppress(FileNotFoundError):
        now = _read(parent, READ_LIMIT)
    same = now is None if before is None else (now is not None and _same(before, now))
    if not same:
        raise FileExistsError(errno.EEXIST, "it was changed meanwhile", str(place.path))


def _same(one: Content, other: Content) -> bool:
    return one.data == other.data and stat.S_IMODE(one.found.st_mode) == stat.S_IMODE(
        other.found.st_mode
    )


def _put_new(spare: _Parent, parent: _Parent) -> None:
    """Give a new file its name.

    Raises:
        FileExistsError: the name is taken by now.
    """
    try:
        os.link(spare.name, parent.name, src_dir_fd=parent.fd, dst_dir_fd=parent.fd)
    except FileExistsError:
        raise
    except OSError:
        # The file system has no hard links; `_check_same` has just found the name free.
        os.rename(spare.name, parent.name, src_dir_fd=parent.fd, dst_dir_fd=parent.fd)


def check_write(path: Path) -> None:
    """Check that the guard of a file's project, if there is one, allows writing the file.

    Raises:
        ToolFault: the guard denies it, or the guard's files cannot be read.
    """
    folder = os.path.dirname(path)
    project = find(folder, {})
    if not (project.state_file.is_file() or project.config_file.is_file()):
        return
    target = locate(project, str(path), folder)
    use = ToolUse(tool="Write", input={"file_path": str(path)}, targets=(target,), cwd=folder)
    try:
        config, state = read_config(project), read_state(project).state
    except (OSError, Broken) as exc:
        raise ToolFault(Said(_BROKEN_GUARD, {"folder": project.root}), str(exc)) from exc
    if denied := before_tool(use, state, config, classify).denied:
        raise ToolFault(Said(_GUARD_DENIES, {}), denied)


def is_in_discussion(session: Session) -> bool:
    """Tell whether a session has a guard in force that now forbids its agent to write."""
    guard = session.guard
    return guard is not None and guard.mode != "implementation" and not guard.bypassed


class ToolContext(NamedTuple):
    """What tools work with."""

    workplace: Workplace
    granted: Granted
    mask: Mask
    now: Clock
    words: Words
    """Puts their questions into the user's language."""
    conversation: Callable[[], str] = str
    """Returns the id of the conversation in which they are used; empty for none."""


class _InContext:
    def __init__(self, context: ToolContext) -> None:
        self._workplace, self._granted = context.workplace, context.granted
        self._mask, self._now, self._words = context.mask, context.now, context.words
        self._conversation = context.conversation


class ContextReader(_InContext, Reader[_Given]):
    """A tool that changes nothing, and works with the context."""


class ContextActor(_InContext, Actor[_Given]):
    """A tool that changes something, and works with the context."""
