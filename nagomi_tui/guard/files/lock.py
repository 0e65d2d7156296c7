"""A lock of the kernel's on a file that stays: it goes with its owner, and no other way (DB-12)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from nagomi_worker.runtime import lock

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

    Raises:
        Busy: another process holds it.
        OSError: the file cannot be made or opened.
    """
    kept = lock.FileLock(path)
    try:
        kept.take(patience=seconds, pause=_PAUSE)
    except lock.Busy as exc:
        raise Busy(f"another process holds {path}") from exc
    try:
        yield
    finally:
        kept.release()
