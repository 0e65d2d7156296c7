"""Tells the supervisor whether the orchestrator hangs in a terminal engine.

It imports next to nothing, as the supervisor does. An engine that runs without an end is judged by
the processor time that one piece of output has taken so far. A machine that is loaded, suspended or
being debugged gives none to the thread, and so is never taken for a hang. An engine that sleeps, as
feeding never does, is judged by looks that came on time: then the machine was awake, and this
process got its turn.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import threading
import time
from pathlib import Path
from typing import Final

from nagomi_tui.orchestrator.runtime.crash_marker import COUNT, FEED
from nagomi_tui.system import files
from nagomi_tui.system.platforms import WINDOWS
from nagomi_worker.runtime.proc import parse_stat

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
                states.append(parse_stat(task.read_bytes()).state)
        return bool(states) and set(states) == {"S"}

    def _spent(self) -> tuple[str, float]:
        """Return the state and the processor seconds of the process's first thread."""
        try:
            found = parse_stat(self._stat.read(_STAT_BYTES))
            return found.state, found.ticks / _TICKS
        except OSError:
            return "", 0.0


class _Glance:
    """Reads the beginning of a file repeatedly, and opens it once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = -1

    def read(self, size: int) -> bytes:
        if self._fd < 0:
            self._fd = files.opened(self._path, os.O_RDONLY)
        os.lseek(self._fd, 0, os.SEEK_SET)
        return os.read(self._fd, size)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


_READ_BYTES: Final = 4096

if WINDOWS:

    class ReadEnd:
        """A thread reads, since Windows cannot wait for a pipe."""

        def __init__(self, fd: int) -> None:
            self._fd = fd
            self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
            self._next: bytes | None = None
            self._thread = threading.Thread(target=self._carry, daemon=True)
            self._thread.start()

        def wait(self, seconds: float) -> bool:
            """Tell whether something, or the end, is to be read within some seconds."""
            if self._next is None:
                try:
                    self._next = (
                        self._came.get(timeout=seconds) if seconds else self._came.get(False)
                    )
                except queue.Empty:
                    return False
            return True

        def read(self) -> bytes:
            """Return what has come; b"" at the end. Only after `wait` has told so."""
            said, self._next = self._next or b"", None
            if not said:
                self._next = said  # the end is told each time
            return said

        def close(self) -> None:
            """Close it, once the writer has closed its end, too."""
            self._thread.join(1.0)
            if not self._thread.is_alive():
                os.close(self._fd)

        def _carry(self) -> None:
            said = b"."
            while said:
                try:
                    said = os.read(self._fd, _READ_BYTES)
                except OSError:
                    said = b""
                self._came.put(said)

else:

    class ReadEnd:
        """The system tells when there is something."""

        def __init__(self, fd: int) -> None:
            self._fd = fd

        def wait(self, seconds: float) -> bool:
            """Tell whether something, or the end, is to be read within some seconds."""
            ready, _, _ = select.select([self._fd], [], [], seconds)
            return bool(ready)

        def read(self) -> bytes:
            """Return what has come; b"" at the end. Only after `wait` has told so."""
            return os.read(self._fd, _READ_BYTES)

        def close(self) -> None:
            """Close it."""
            os.close(self._fd)


BEAT: Final = b"."
QUIT: Final = b"Q"
RELOAD: Final = b"R"
AGENT: Final = b"A"
"""The resident agent is wanted, and is missing."""
BUSY: Final = b"B"
"""Another orchestrator serves the workplace, so that this supervisor is not needed."""
