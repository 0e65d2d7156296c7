"""Looks at folders and at the machine for the orchestrator, in child processes.

Each look is a fork, since no call of the system has a deadline, and since the worker has one thread.
"""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Final

from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire.messages import MOST_FOLDERS, Host

_SECONDS: Final = 2.0
_AT_ONCE: Final = 4
"""Most forks at a time: one that a dead disk holds cannot be ended."""
_PIPE: Final = 64 * 1024
_READ_ENTRIES: Final = 20_000
"""Most entries of a folder that are read."""
_LENGTH: Final = 4096


class FolderLooks:
    """Looks for folders, each time in a process of its own, and tells what was found."""

    def __init__(
        self, loop: Loop, tell: Callable[[str, tuple[str, ...]], None], *, seconds: float = _SECONDS
    ) -> None:
        self._loop = loop
        self._tell = tell
        self._seconds = seconds
        self._pids: set[int] = set()
        """The forks that have not ended, as far as is known."""

    def find(self, path: str) -> None:
        """Look for the folders whose paths begin so, and tell of them later; too many looks find none."""
        self._pids = {pid for pid in self._pids if _lives(pid)}
        if sys.platform == "win32" or len(self._pids) >= _AT_ONCE or not 0 < len(path) <= _LENGTH:
            self._tell(path, ())
            return
        theirs, ours = os.pipe()
        if (pid := os.fork()) == 0:
            _look(path, ours)
        os.close(ours)
        os.set_blocking(theirs, False)
        self._pids.add(pid)
        self._hear(path, theirs, pid)

    def _hear(self, path: str, fd: int, pid: int) -> None:
        said = bytearray()

        def read() -> None:
            piece = os.read(fd, _PIPE)
            said.extend(piece)
            if not piece:
                end()

        def end() -> None:
            late.cancel()
            self._loop.unwatch(fd)
            os.close(fd)
            found = [os.fsdecode(name) for name in bytes(said).split(b"\0")[:-1]]
            self._tell(path, tuple(found[:MOST_FOLDERS]))

        def give_up() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            end()

        late = self._loop.call_later(self._seconds, give_up)
        self._loop.watch(fd, read=read, write=None)


def _lives(pid: int) -> bool:
    """Tell whether a fork of ours runs on; the worker's host reaps all of them."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _look(path: str, fd: int) -> None:
    """Write the folders into the pipe, and end this process, which is a fork."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.closerange(3, fd)
        os.closerange(fd + 1, 65536)
        for name in beginning(path):
            os.write(fd, os.fsencode(name) + b"\0")
    finally:
        os._exit(0)


def beginning(path: str) -> list[str]:
    """Return the folders that begin so, with `~` left as it was typed; hidden ones only after a dot."""
    parent, slash, begun = path.rpartition("/")
    place = os.path.expanduser(parent + slash)
    if not os.path.isabs(place):
        return []
    found: list[str] = []
    try:
        with os.scandir(place) as entries:
            for _, entry in zip(range(_READ_ENTRIES), entries, strict=False):
                hidden = entry.name.startswith(".") and not begun
                if entry.name.startswith(begun) and not hidden and entry.is_dir():
                    found.append(f"{parent}{slash}{entry.name}/")
    except (OSError, ValueError):
        pass
    return sorted(found)[:MOST_FOLDERS]


_NAME_LENGTH: Final = 100
_KB_IN_MB: Final = 1024


def host_state() -> Host:
    """Return what the worker runs on just now."""
    memory, free = _memory()
    return Host(
        name=platform.node()[:_NAME_LENGTH],
        system=_system()[:_NAME_LENGTH],
        cores=_cores(),
        load=_load(),
        memory_mb=memory,
        free_mb=free,
    )


@cache
def _system() -> str:
    """Return the distribution as it calls itself, or the system's name and release."""
    with suppress(OSError, ValueError):
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return f"{platform.system()} {platform.release()}"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 0


def _load() -> float | None:
    if sys.platform != "win32":
        with suppress(OSError):
            return round(os.getloadavg()[0], 2)
    return None


def _memory() -> tuple[int, int]:
    """Return the memory that there is, and what of it programs may still have, in MiB; zeros if unknown."""
    told: dict[str, int] = {}
    with suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            name, _, rest = line.partition(":")
            told[name] = int(rest.split()[0]) // _KB_IN_MB
    return told.get("MemTotal", 0), told.get("MemAvailable", 0)
