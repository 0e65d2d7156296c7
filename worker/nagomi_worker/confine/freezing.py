"""Stops a session's programs for a moment (SIGSTOP), so that none opens a file meanwhile.

A shell that sees its child stopped believes that the user has suspended it. So parents are
stopped before their children and continued after them: no parent runs while a child is stopped.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Final

assert sys.platform == "linux"

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROUNDS: Final = 5
"""Most passes over the processes, for programs that were started meanwhile."""
_ALONE_SECONDS: Final = 0.2
"""Most seconds for which one program runs while all others are stopped; few where the machine is free."""
_TURN_SECONDS: Final = 0.02
"""How long it runs at a time, so that it can come to its turn on a machine that is busy."""
_STOP_SECONDS: Final = 0.05
"""How long it is waited for that a program has stopped."""
_PAUSE: Final = 0.0002
_STOPPED: Final = "T"


class Frozen:
    """The programs that pause, parents first."""

    def __init__(self) -> None:
        self._pids: list[int] = []

    def stop(self) -> None:
        """Stop every program in these namespaces but this one."""
        for _ in range(_ROUNDS):
            fresh = [pid for pid in _others() if pid not in self._pids]
            if not fresh:
                return
            for pid in fresh:
                if _state(pid) != _STOPPED and _send(pid, signal.SIGSTOP):
                    self._pids.append(pid)

    def let_one_go_on(self, pid: int, until: Callable[[], bool]) -> None:
        """Let one of them run until it stands still where `until()` is true, such as with a file closed."""
        if pid not in self._pids:
            return
        late = time.monotonic() + _ALONE_SECONDS
        while not until() and time.monotonic() < late:
            _send(pid, signal.SIGCONT)
            _wait(until, _TURN_SECONDS)
            _send(pid, signal.SIGSTOP)
            _wait(lambda: _state(pid) in (_STOPPED, ""), _STOP_SECONDS)

    def go_on(self) -> None:
        """Let all of them go on."""
        for pid in reversed(self._pids):
            _send(pid, signal.SIGCONT)


@contextlib.contextmanager
def frozen() -> Iterator[Frozen]:
    """Stop all programs of these namespaces for as long as the block takes."""
    found = Frozen()
    try:
        found.stop()
        yield found
    finally:
        found.go_on()


def here() -> Iterator[int]:
    """Yield all processes that see what this one sees mounted, this one too."""
    mounts = os.stat("/proc/self/ns/mnt")
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(f"/proc/{name}/ns/mnt"), mounts):
                yield int(name)


def _wait(until: Callable[[], bool], seconds: float) -> None:
    """Wait until something is so, for so long at most, and leave the processor to others meanwhile."""
    late = time.monotonic() + seconds
    while not until() and time.monotonic() < late:
        time.sleep(_PAUSE)


def _others() -> list[int]:
    """Return the others, each behind its parent."""
    parents = {pid: _parent(pid) for pid in here() if pid != os.getpid()}

    def depth(pid: int) -> int:
        found = 0
        while (pid := parents.get(pid, 0)) and found < len(parents):
            found += 1
        return found

    return sorted(parents, key=depth)


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _state(pid: int) -> str:
    return _stat(pid)[0]


def _stat(pid: int) -> list[str]:
    """Return state and parent of a process; it may be gone."""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[:2]
    except OSError:
        return ["", "0"]


def _send(pid: int, number: signal.Signals) -> bool:
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True
