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
"""Processor time for at most 64 KiB of output, or a resize, that take some milliseconds."""
ASLEEP_SECONDS: Final = 1.0
"""How long all threads may sleep while a piece is being fed."""
_ON_TIME: Final = 0.5
"""Most seconds between two looks; after more of them nobody knows who was asleep."""
_STAT_BYTES: Final = 1024
_TICKS: Final = 100
"""Of Linux, in a second, as /proc counts them."""


class Watch:
    """Looks, now and then, at which piece of output is being fed, and for how long.

    Where the kernel does not tell a thread's processor time, nothing is ever seen.
    """

    def __init__(self, pid: int, marker: Path) -> None:
        self._tasks = Path(f"/proc/{pid}/task")
        self._stat = _Glance(self._tasks / str(pid) / "stat")
        self._marker = _Glance(marker)
        self.calm = False
        """Nothing was being fed at the last look, nor since the one before."""
        self._count = b""
        self._last = b""
        self._since = 0.0
        self._heard = 0.0
        self._looked = 0.0
        self._asleep = 0.0
        """Seconds for which it was seen asleep over one piece, look after look."""

    def close(self) -> None:
        """Look no more."""
        self._stat.close()
        self._marker.close()

    def heard(self) -> None:
        """The process has said that it lives."""
        self._heard = self._spent()[1]

    def is_starving(self) -> bool:
        """Tell whether it would run, and has had no time to speak of since it was last heard."""
        state, spent = self._spent()
        return state == "R" and spent - self._heard < MOST_SECONDS

    def is_stuck(self) -> bool:
        """Tell whether one piece has taken too long by now."""
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
        """Tell whether every thread waits for something that is no disk, and for no processor."""
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
    """The beginning of a file that is read again and again, opened once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = -1

    def read(self, size: int) -> bytes:
        if self._fd < 0:
            self._fd = os.open(self._path, os.O_RDONLY)
        os.lseek(self._fd, 0, os.SEEK_SET)
        return os.read(self._fd, size)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _fields(stat: bytes) -> list[str]:
    """Return what /proc tells of a thread, from its state on."""
    return stat.decode("ascii", "replace").rpartition(")")[2].split()
