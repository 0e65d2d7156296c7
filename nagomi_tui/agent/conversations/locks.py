"""Locks that the kernel takes back when their holder dies (SB-19)."""

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
"""Seconds that one waits for somebody who writes the index."""
_PAUSE: Final = 0.01
_LOOKS: Final = 30


class Lock:
    """One process's hold of a file; beside it stands the process's pid, for others to tell."""

    def __init__(self, path: Path, *, patience: float = 0.0) -> None:
        """Take the lock `.NAME.lock` of a file, waiting up to `patience` seconds.

        Raises:
            Busy: somebody else keeps it.
            NotWritten: its file cannot be made.
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
            time.sleep(_PAUSE)  # it was taken or given back in this moment
        else:
            raise Busy(0)
        with contextlib.suppress(OSError):  # a full disk: only the pid is not told
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
        """Return who holds it; 0 if nobody has said so."""
        try:
            return int(self._holder.read_text())
        except (OSError, ValueError):
            return 0

    def release(self) -> None:
        """Let others have it; once it was released nothing happens."""
        if self._held:
            self._held = False
            with contextlib.suppress(OSError):
                self._holder.write_text("")
            self._lock.release()
