"""A lock of the kernel's on a file that stays: it goes with its owner, and no other way (DB-12)."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS: Final = 1.0
"""How long one waits for another process (D-53); a change takes some milliseconds."""
_PAUSE: Final = 0.005


class Busy(OSError):
    """Another process has kept the lock for all the time that we waited (X-13)."""


@contextlib.contextmanager
def held(path: Path, seconds: float = SECONDS) -> Iterator[None]:
    """Hold the lock; the file is made where it is missing and never removed.

    filelock is not used here: it imports asyncio, and this runs before each tool of an agent.

    Raises:
        Busy: another process holds it.
        OSError: the file cannot be made or opened.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        _wait(fd, path, time.monotonic() + seconds)
        yield
    finally:
        os.close(fd)


def _wait(fd: int, path: Path, until: float) -> None:
    while not _taken(fd):
        if time.monotonic() >= until:
            raise Busy(f"another process holds {path}")
        time.sleep(_PAUSE)


def _taken(fd: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
