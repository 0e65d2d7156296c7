"""File locks that the kernel releases when their holder dies (SB-19)."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.conversations.faults import Busy, NotWritten
from nagomi_worker.runtime import lock

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE: Final = 10.0
"""The longest wait for the lock of the index, in seconds."""
_PAUSE: Final = 0.01
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
        with contextlib.suppress(OSError):  # a full disk: others only miss the pid
            self._holder.write_text(str(os.getpid()))

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
            return int(self._holder.read_text())
        except (OSError, ValueError):
            return 0

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        if self._held:
            self._held = False
            with contextlib.suppress(OSError):
                self._holder.write_text("")
            self._lock.release()
