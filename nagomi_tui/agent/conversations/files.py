"""Append-only files of lines, and the locks on them."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from nagomi_tui.agent.conversations.entries import Busy, NotWritten
from nagomi_tui.system import files
from nagomi_worker.runtime import files as lock

_TAIL: Final = 65536


class Lines:
    """An open file of lines. The caller must hold the file's lock."""

    def __init__(self, path: Path) -> None:
        """Open the file, or create it, and end a cut-off last line with a newline.

        Raises:
            NotWritten: the file cannot be opened.
        """
        self._path = path
        try:
            self._file = files.append(path)
            self.torn = _unended(path)
        except OSError as exc:
            raise NotWritten(path, exc.strerror or str(exc)) from exc
        self._unended = bool(self.torn)
        with contextlib.suppress(NotWritten):  # reading works; `append` retries
            self.append(b"")

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return os.fstat(self._file.fileno()).st_size

    def append(self, data: bytes) -> int:
        """Append whole lines in one write, and return the byte offset at which they begin.

        Raises:
            NotWritten: the disk refused, and the file is as it was before; or it is no longer there.
        """
        before = self.size
        ended = b"\n" if self._unended else b""
        try:
            os.stat(self._path)  # written into a file that was deleted, it would be lost unseen
            _pour(self._file.fileno(), ended + data)
        except BaseException as exc:
            self._take_back(before)
            if isinstance(exc, OSError):
                raise NotWritten(self._path, exc.strerror or str(exc)) from exc
            raise
        self._unended = False
        return before + len(ended)

    def _take_back(self, size: int) -> None:
        """Truncate the file to `size`; if that fails, the partial line counts as cut off."""
        try:
            os.ftruncate(self._file.fileno(), size)
        except OSError:
            self._unended = True

    def sync(self) -> None:
        """Sync the file to the disk.

        Raises:
            NotWritten: the sync failed.
        """
        try:
            os.fsync(self._file.fileno())
        except OSError as exc:
            raise NotWritten(self._path, exc.strerror or str(exc)) from exc

    def close(self) -> None:
        self._file.close()


def read(path: Path, start: int = 0) -> bytes:
    """Return a file's bytes from an offset on; empty if the file does not exist.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        with open(files.opened(path, os.O_RDONLY), "rb") as file:
            file.seek(start)
            return file.read()
    except FileNotFoundError:
        return b""


def _pour(fd: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def _unended(path: Path) -> bytes:
    """Return the last line if no newline ends it, else nothing."""
    with open(files.opened(path, os.O_RDONLY), "rb") as file:
        place = file.seek(0, os.SEEK_END)
        tail = b""
        while place and b"\n" not in tail:
            step = min(place, _TAIL)
            place -= step
            file.seek(place)
            tail = file.read(step) + tail
    return tail.rpartition(b"\n")[2]


PATIENCE: Final = 10.0
"""The longest wait for the lock of the index, in seconds."""
_PAUSE: Final = 0.01
_ANEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_LOOKS: Final = 30


class Lock:
    """A lock on a file for this process, with its pid written beside for error messages."""

    def __init__(self, path: Path, *, patience: float = 0.0) -> None:
        """Take the lock `.NAME.lock` of a file, waiting up to `patience` seconds.

        Raises:
            Busy: another holder still has the lock.
            NotWritten: the lock's file cannot be created.
        """
        self._holder = path.with_name(f".{path.name}.pid")
        self._path = lock.lock_path(path)
        self._lock = lock.FileLock(self._path)
        self._held = False
        for _ in range(1 if patience else _LOOKS):
            if self._taken(patience):
                break
            if pid := self._pid():
                raise Busy(pid)
            time.sleep(_PAUSE)  # taken or released just now: no pid there
        else:
            raise Busy(0)
        self._name_holder(b"%d" % os.getpid())

    def _taken(self, patience: float) -> bool:
        try:
            self._lock.take(patience=patience, pause=_PAUSE)
        except lock.Busy:
            return False
        except OSError as exc:
            raise NotWritten(self._path, exc.strerror or str(exc)) from exc
        self._held = True
        return True

    def _pid(self) -> int:
        """Return the holder's pid; 0 if none was written."""
        try:
            return int(files.read(self._holder))
        except (OSError, ValueError):
            return 0

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        if self._held:
            self._held = False
            self._name_holder(b"")
            self._lock.release()

    def _name_holder(self, name: bytes) -> None:
        """Write who holds it; where the disk is full, others only miss the pid."""
        with contextlib.suppress(OSError), open(files.opened(self._holder, _ANEW), "wb") as holder:
            holder.write(name)
