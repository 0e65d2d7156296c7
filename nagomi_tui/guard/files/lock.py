"""A kernel lock on a file that is never removed; only its owner's end releases it (DB-12)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from nagomi_worker.runtime import lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS: Final = 1.0
"""The longest wait for the lock (D-53); a change takes some milliseconds."""
_PAUSE: Final = 0.005


class Busy(OSError):
    """Another process kept the lock for the whole waiting time (X-13)."""


@contextlib.contextmanager
def held(path: Path, seconds: float = SECONDS) -> Iterator[None]:
    """Hold the lock during the block; the file is created if missing, and never removed.

    Raises:
        Busy: another process holds the lock for longer than `seconds`.
        OSError: the file cannot be created or opened.
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
