"""Sees from outside that the orchestrator's thread has gone into native code and does not return.

One that runs around is judged by the processor time that one piece of output has taken so far. A
machine that is loaded, suspended or being debugged gives none to the thread, and so is never taken
for a hang. One that sleeps there, as feeding never does, is judged by looks that came on time: then
the machine was awake, and this process got its turn.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from nagomi_tui.orchestrator.runtime.crash_marker import COUNT, FEED

MOST_SECONDS: Final = 0.8
"""Most seconds of processor time for 64 KiB of output, or a resize, which take milliseconds."""
ASLEEP_SECONDS: Final = 1.0
"""Seconds for which all threads may sleep while output is being fed."""
_ON_TIME: Final = 0.5
"""Most seconds between two looks; after a longer pause this process may have slept itself."""
_STAT_BYTES: Final = 1024
_TICKS: Final = 100
"""Clock ticks per second in Linux's /proc."""


class Watch:
    """Checks which piece of output is being fed, and for how long.

    If the kernel does not tell a thread's processor time, it never reports a hang.
    """

    def __init__(self, pid: int, marker: Path) -> None:
        self._tasks = Path(f"/proc/{pid}/task")
        self._stat = _Glance(self._tasks / str(pid) / "stat")
        self._marker = _Glance(marker)
        self.calm = False
        """Whether nothing was being fed at the last look, nor since the one before."""
        self._count = b""
        self._last = b""
        self._since = 0.0
        self._heard = 0.0
        self._looked = 0.0
        self._asleep = 0.0
        """Seconds for which consecutive looks found the process asleep over one piece."""

    def close(self) -> None:
        """Close the files."""
        self._stat.close()
        self._marker.close()

    def heard(self) -> None:
        """Note a heartbeat of the process."""
        self._heard = self._spent()[1]

    def is_starving(self) -> bool:
        """Return whether the process is runnable, but has got hardly any time since its last heartbeat."""
        state, spent = self._spent()
        return state == "R" and spent - self._heard < MOST_SECONDS

    def is_stuck(self) -> bool:
        """Return whether one piece has taken too long by now."""
        try:
            marked = self._marker.read(COUNT.stop)
        except OSError:
            return False
        feeding, count = marked[:1] == FEED, marked[COUNT]
        self.calm = not feeding and count == self._last
        self._last = count
        if not feeding:
            self._count = b""
            return False
        _, spent = self._spent()
        before, self._looked = self._looked, time.monotonic()
        if count != self._count:
            self._count, self._since, self._asleep = count, spent, 0.0
            return False
        gap = self._looked - before
        self._asleep = self._asleep + gap if gap < _ON_TIME and self._sleeps() else 0.0
        return spent - self._since > MOST_SECONDS or self._asleep > ASLEEP_SECONDS

    def _sleeps(self) -> bool:
        """Return whether every thread sleeps, and none waits for a disk or a processor."""
        states = []
        for task in self._tasks.glob("*/stat"):
            with contextlib.suppress(OSError):
                states.append(_fields(task.read_bytes())[0])
        return bool(states) and set(states) == {"S"}

    def _spent(self) -> tuple[str, float]:
        """Return the state and the processor seconds of the process's first thread."""
        try:
            fields = _fields(self._stat.read(_STAT_BYTES))
            return fields[0], (int(fields[11]) + int(fields[12])) / _TICKS
        except (OSError, ValueError, IndexError):
            return "", 0.0


class _Glance:
    """Reads the beginning of a file repeatedly, and opens it once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = -1

    def read(self, size: int) -> bytes:
        if self._fd < 0:
            self._fd = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        os.lseek(self._fd, 0, os.SEEK_SET)
        return os.read(self._fd, size)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _fields(stat: bytes) -> list[str]:
    """Return the fields of a thread in /proc, from its state on."""
    return stat.decode("ascii", "replace").rpartition(")")[2].split()
