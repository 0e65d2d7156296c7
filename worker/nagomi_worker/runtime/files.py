"""Lock files, and files that take the place of others."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE: Final = 0.02


class Busy(Exception):
    """Another process holds the lock."""


class FileLock:
    """Holds `path` for this process; the kernel releases it when the process dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def take(self, *, patience: float = 0.0, pause: float = _PAUSE) -> None:
        """Take the lock, waiting up to `patience` seconds for it and looking each `pause` seconds.

        Raises:
            Busy: another process still holds it.
            OSError: the file cannot be made.
        """
        deadline = time.monotonic() + patience
        while True:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            locked = _try_lock(fd)
            # The last holder may have removed the file since it was opened here.
            if locked and os.fstat(fd).st_nlink:
                self._fd = fd
                return
            os.close(fd)
            if not locked:
                if time.monotonic() >= deadline:
                    raise Busy(str(self._path))
                time.sleep(pause)

    def fileno(self) -> int:
        """Return the number of the locked file: whoever inherits it holds the lock, too."""
        if self._fd is None:
            raise ValueError("it is not locked")
        return self._fd

    def intact(self) -> bool:
        """Tell whether `path` is still the locked file, and was not removed or replaced."""
        try:
            return self._fd is not None and os.path.samestat(os.fstat(self._fd), self._path.stat())
        except OSError:
            return False

    def stamp(self) -> None:
        """Leave a sign for those who wait for the lock, which `was_stamped` tells them of."""
        os.utime(self._path)

    def stamped(self) -> tuple[int, int]:
        """Return the file's number and the time in nanoseconds of its last stamp; zeros without one."""
        try:
            found = self._path.stat()
        except OSError:
            return 0, 0
        return found.st_ino, found.st_mtime_ns

    def was_stamped(self, since: tuple[int, int]) -> bool:
        """Tell whether the file was stamped since `stamped` returned this; one made anew was not."""
        number, at = self.stamped()
        return number == since[0] and at != since[1]

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def lock_path(path: Path) -> Path:
    """Return the lock file of a path; a search for workers by name does not match it."""
    return path.with_name(f".{path.name}.lock")


def locked_path(lock: Path) -> Path:
    """Return the path that a lock belongs to."""
    return lock.with_name(lock.name.removeprefix(".").removesuffix(".lock"))


def is_held(path: Path) -> bool:
    """Tell whether a process holds the lock file `path`; false where there is no such file."""
    lock = FileLock(path)
    try:
        if path.exists():
            lock.take()
    except Busy:
        return True
    except OSError:
        return False
    lock.release()
    return False


def sweep(path: Path) -> None:
    """Remove socket and lock at a worker's path, unless that worker still runs."""
    lock = FileLock(lock_path(path))
    with contextlib.suppress(Busy, OSError):
        lock.take()
        path.unlink(missing_ok=True)
        if (
            sys.platform == "win32"
        ):  # which removes no file that somebody has open, nor we ourselves
            lock.release()
        lock_path(path).unlink()
    lock.release()


def _try_lock(fd: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


_PATIENCE: Final = 1.0 if sys.platform == "win32" else 0.0
"""Seconds for which Windows may keep a file from being replaced, since somebody reads it."""
_REPLACE_PAUSE: Final = 0.01


def replace(spare: Path | str, path: Path | str, *, patience: float = _PATIENCE) -> None:
    """Have `spare` take the place of `path`.

    Raises:
        OSError: it cannot; both are as they were.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            os.replace(spare, path)
        except PermissionError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_REPLACE_PAUSE)
        else:
            return
