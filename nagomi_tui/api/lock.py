"""A lock file that one process holds until it lets go or dies."""

from __future__ import annotations

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
    """Holds `path` for this process; the kernel lets go of it when the process dies.

    The file stays: removing it would let two processes hold two files of one name.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def take(self, *, patience: float = 0.0) -> None:
        """Take the lock, waiting up to `patience` seconds for it.

        Raises:
            Busy: another process holds it still.
            OSError: the file cannot be made.
        """
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        deadline = time.monotonic() + patience
        while not _try_lock(fd):
            if time.monotonic() >= deadline:
                os.close(fd)
                raise Busy(str(self._path))
            time.sleep(_PAUSE)
        self._fd = fd

    def release(self) -> None:
        """Let go of the lock."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


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
