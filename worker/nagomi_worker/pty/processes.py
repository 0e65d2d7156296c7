"""Finds all processes of one session, and ends them.

On Linux /proc is read directly: psutil takes 0.15 ms a process, and the list is made at the end of
each command, while other sessions wait.

A process belongs to a session if it descends from the session's first process, is in a process
session that one of the session's processes made, or has NAGOMI_SESSION_ID in its environment.
Processes of nagomi itself and of another session are spared, with all their descendants.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

import psutil

assert sys.platform != "win32"

from nagomi_worker.pty.command import (  # noqa: E402
    DAEMON_MARK,
    SESSION_MARK,
)
from nagomi_worker.runtime.proc import read_stat  # noqa: E402 (nothing elsewhere)
from nagomi_worker.wire.messages import Left  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Seen(NamedTuple):
    """One process as it was when `scan` ran."""

    pid: int
    parent: int
    group: int
    """The id of its process session (`getsid`)."""
    session_id: str
    daemon: bool
    """It is a resident process of nagomi itself."""


def scan() -> dict[int, Seen]:
    """Return all other processes by pid, but no zombies: these have ended already."""
    see = _see_on_linux if sys.platform == "linux" else see_by_psutil
    seen: dict[int, Seen] = {}
    for pid in psutil.pids():
        with contextlib.suppress(OSError, ValueError, psutil.Error):
            if pid != os.getpid() and (one := see(pid)):
                seen[pid] = one
    return seen


def _see_on_linux(pid: int) -> Seen | None:
    """Return a process from /proc; None if it is gone or a zombie."""
    found = read_stat(pid)
    if found.state in ("Z", "X"):
        return None
    return Seen(pid, found.parent, found.session, *_marks(pid))


def _marks(pid: int) -> tuple[str, bool]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = b"\0" + file.read()
    except OSError:
        return "", False
    if b"\0NAGOMI_" not in environment:
        return "", False
    entries = dict(entry.partition(b"=")[::2] for entry in environment.split(b"\0"))
    session_id = entries.get(SESSION_MARK.encode(), b"")
    return os.fsdecode(session_id), entries.get(DAEMON_MARK.encode()) == b"1"


def see_by_psutil(pid: int) -> Seen | None:
    """Return a process where there is no /proc; None if it is gone or a zombie."""
    process = psutil.Process(pid)
    if process.status() == psutil.STATUS_ZOMBIE:
        return None
    marks: dict[str, str] = {}
    with contextlib.suppress(psutil.Error, OSError):
        marks = process.environ()
    session_id = marks.get(SESSION_MARK, "")
    return Seen(pid, process.ppid(), os.getsid(pid), session_id, marks.get(DAEMON_MARK) == "1")


_COMMAND_LIMIT: Final = 200
_SIGNALS: Final = {"HUP": signal.SIGHUP, "TERM": signal.SIGTERM, "KILL": signal.SIGKILL}


class ProcessTree:
    """A session's processes; each `look` remembers them, so that orphans are still found."""

    def __init__(self, session_id: str, leader: int) -> None:
        self._session_id = session_id
        self._known: dict[int, psutil.Process] = {}
        self._groups = {leader}
        self._remember(leader)

    def look(self) -> list[Left]:
        seen = scan()
        for pid, process in list(self._known.items()):
            if pid not in seen or not process.is_running():
                del self._known[pid]
        mine = self._claim(seen)
        self._known = {pid: process for pid, process in self._known.items() if pid in mine}
        for pid in mine.keys() - self._known.keys():
            self._remember(pid)
        # A process that is found by its environment may stand in somebody else's process session.
        self._groups.update(pid for pid, one in mine.items() if one.group == pid)
        return [Left(pid, _command(process)) for pid, process in self._known.items()]

    def any_left(self) -> bool:
        return any(_alive(process) for process in self._known.values())

    def send(self, step: str) -> None:
        for process in self._known.values():
            with contextlib.suppress(psutil.Error):
                process.send_signal(_SIGNALS[step])
                process.send_signal(signal.SIGCONT)

    def _remember(self, pid: int) -> None:
        with contextlib.suppress(psutil.Error):
            self._known[pid] = psutil.Process(pid)

    def _claim(self, seen: dict[int, Seen]) -> dict[int, Seen]:
        children = _by_parent(seen.values())
        spared = _with_descendants(filter(self._is_spared, seen.values()), children, {})
        return _with_descendants(filter(self._is_mine, seen.values()), children, spared)

    def _is_mine(self, one: Seen) -> bool:
        return (
            one.pid in self._known
            or one.group in self._groups
            or one.session_id == self._session_id
        )

    def _is_spared(self, one: Seen) -> bool:
        return one.daemon or one.session_id not in ("", self._session_id)


def end_descendants() -> None:
    """Kill all descendants of this process but nagomi's own (at the worker's end)."""
    seen = scan().values()
    children = _by_parent(seen)
    spared = _with_descendants((one for one in seen if one.daemon), children, {})
    for pid in _with_descendants(children.get(os.getpid(), ()), children, spared):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _by_parent(seen: Iterable[Seen]) -> dict[int, list[Seen]]:
    children: dict[int, list[Seen]] = {}
    for one in seen:
        children.setdefault(one.parent, []).append(one)
    return children


def _with_descendants(
    first: Iterable[Seen], children: Mapping[int, list[Seen]], without: Mapping[int, Seen]
) -> dict[int, Seen]:
    """Return these processes and all their descendants, less those in `without`."""
    waiting = list(first)
    found: dict[int, Seen] = {}
    while waiting:
        one = waiting.pop()
        if one.pid not in found and one.pid not in without:
            found[one.pid] = one
            waiting += children.get(one.pid, ())
    return found


def _alive(process: psutil.Process) -> bool:
    """Tell whether the process runs, and its pid was not reused; zombies do not count."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _command(process: psutil.Process) -> str:
    try:
        words = " ".join(process.cmdline()) or process.name()
    except psutil.Error:
        words = "?"
    return words[:_COMMAND_LIMIT]
