"""Terminals and children on Linux, WSL and macOS, through ptyprocess.

Of ptyprocess only the fork is used. Its `isalive` may block; its `terminate`, `close` and
`__del__` sleep and reach only the first process; and an exception from a failed `chdir` would run
this process's handlers in the forked child. So the folder is entered in `preexec_fn`, where errors
are caught, and the descriptor and the child's exit status are handled here.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import math
import os
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterable, Mapping
from types import FrameType
from typing import Final, NamedTuple

import psutil
from ptyprocess import PtyProcess

from nagomi_worker.confine.interface import Confinement, Report
from nagomi_worker.pty.activity import Activity
from nagomi_worker.pty.command import DAEMON_MARK, SESSION_MARK, Launch, StartError
from nagomi_worker.pty.interface import Ended, Pty, Tree, Wake
from nagomi_worker.runtime.limits import WorkerFault
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.runtime.proc import read_stat
from nagomi_worker.wire.messages import Guard, Left

assert sys.platform != "win32"

from nagomi_worker.pty.activity_linux import look  # noqa: E402 (nothing on Windows)
from nagomi_worker.runtime import inherited  # noqa: E402 (nothing on Windows)

_IUTF8: Final = 0x4000
"""`termios.IUTF8` of Linux and macOS alike; Python names it from 3.13 on."""
_SET_CHILD_SUBREAPER: Final = 36
"""`PR_SET_CHILD_SUBREAPER` of <linux/prctl.h>."""


class PosixPty:
    """The master side of a terminal."""

    def __init__(self, pid: int, fd: int) -> None:
        self.pid = pid
        self._fd = fd
        os.set_blocking(fd, False)

    def fileno(self) -> int:
        return self._fd

    def read(self, size: int) -> bytes:
        try:
            return os.read(self._fd, size)
        except OSError as exc:
            if exc.errno == errno.EIO:
                return b""
            raise

    def write(self, data: memoryview) -> int:
        try:
            return os.write(self._fd, data)
        except OSError as exc:
            if exc.errno == errno.EIO:
                return len(data)
            raise

    def resize(self, cols: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def signal(self, name: str) -> None:
        number = getattr(signal, f"SIG{name}", None)
        if not isinstance(number, signal.Signals):
            raise WorkerFault("There is no signal {name} on this system.", name=name)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._foreground_group(), number)

    def look(self) -> Activity | None:
        return look(self._fd, self.pid)

    def reads_unseen(self) -> bool:
        modes = self._modes()
        return bool(modes & termios.ICANON) and not modes & termios.ECHO

    def takes_lines(self) -> bool:
        return bool(self._modes() & termios.ICANON)

    def close(self) -> None:
        os.close(self._fd)

    def _modes(self) -> int:
        try:
            modes: int = termios.tcgetattr(self._fd)[3]
        except (OSError, termios.error):
            return 0
        return modes

    def _foreground_group(self) -> int:
        with contextlib.suppress(OSError):
            if (group := os.tcgetpgrp(self._fd)) > 0:
                return group
        return self.pid


STRAY: Final = frozenset({
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
    signal.SIGVTALRM, signal.SIGPROF,
})  # fmt: skip
"""Signals that end no worker, and with it no session: they mean nothing to it."""


class PosixHost:
    """Spawns commands and reaps every child, daemons among them: the worker is a subreaper."""

    def __init__(self) -> None:
        inherited.undo_ignored_signals()
        inherited.raise_limit()
        _become_subreaper()
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_in, False)
        os.set_blocking(self._wake_out, False)
        signal.set_wakeup_fd(self._wake_out, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _only_wake)
        signal.signal(signal.SIGTERM, _only_wake)
        # A stray one of these would end all sessions. What SIGSEGV and its like tell is a fault.
        for number in STRAY:
            signal.signal(number, signal.SIG_IGN)

    def fileno(self) -> int:
        return self._wake_in

    def wake(self) -> Wake:
        numbers = b""
        with contextlib.suppress(BlockingIOError):
            numbers = os.read(self._wake_in, 4096)
        return Wake(_reap(), signal.SIGTERM in numbers)

    def spawn(self, order: Launch) -> Pty:
        # No signal handler of the worker may run in the child: the wake-up pipe is closed there.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            pid, fd = _fork(order)
        except (OSError, ValueError) as exc:
            raise _why_not(order.argv[0], exc) from exc
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return PosixPty(pid, fd)

    def confine(
        self, loop: Loop, guard: Guard, env: Mapping[str, str], tell: Callable[[Report], None]
    ) -> Confinement:
        if sys.platform == "linux":
            from nagomi_worker.confine.confined import Confined

            return Confined(loop, guard, env, tell)
        else:
            raise StartError("Strict mode is off: it needs Linux.")

    def tree(self, session_id: str, pty: Pty) -> Tree:
        return ProcessTree(session_id, pty.pid)

    def end_all(self) -> None:
        end_descendants()
        _reap()

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        os.close(self._wake_in)
        os.close(self._wake_out)


class _Forked(PtyProcess):
    """A ptyprocess whose destructor does not sleep, not even after a failed `spawn`."""

    def __del__(self) -> None:
        if not self.closed:
            self.fileobj.close()
            self.closed = True


def _fork(order: Launch) -> tuple[int, int]:
    def prepare() -> None:
        if order.inside is not None:
            order.inside.confine()
        os.chdir(order.cwd)
        _mark_utf8(0)
        inherited.restore_signals()
        inherited.restore_limit()

    child = _Forked.spawn(
        list(order.argv),
        env=order.env,
        preexec_fn=prepare,
        dimensions=(order.rows, order.cols),
        pass_fds=tuple(order.inside or ()),
    )
    fd = os.dup(child.fd)
    child.fileobj.close()
    child.closed = True
    return child.pid, fd


def _mark_utf8(fd: int) -> None:
    """Set IUTF8, so that in line mode Backspace erases whole characters."""
    with contextlib.suppress(termios.error):
        attributes = termios.tcgetattr(fd)
        attributes[0] |= _IUTF8
        termios.tcsetattr(fd, termios.TCSANOW, attributes)


def _why_not(program: str, exc: Exception) -> StartError:
    number = getattr(exc, "errno", None)
    if number == errno.ENOEXEC:
        return StartError(
            "{program} is not a program of this system. Give it a first line like #!/bin/sh.",
            program=program,
        )
    if number == errno.E2BIG:
        return StartError("The command and its environment are too long. Leave some variables out.")
    return StartError(
        "{program} could not be started: {reason}. Check that it runs in a plain terminal.",
        program=program,
        reason=exc,
    )


def _only_wake(number: int, frame: FrameType | None) -> None:
    """Do nothing: the signal's byte in the wake-up pipe is enough."""


def _become_subreaper() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap() -> list[Ended]:
    ended: list[Ended] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.append(_as_ended(pid, status))


def _as_ended(pid: int, status: int) -> Ended:
    code = os.waitstatus_to_exitcode(status)
    return Ended(pid, code) if code >= 0 else Ended(pid, 128 - code, -code)


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
_KNOWN_SECONDS: Final = 5.0
"""So long after a look no number of a process has been given to another one."""
_SIGNALS: Final = {"HUP": signal.SIGHUP, "TERM": signal.SIGTERM, "KILL": signal.SIGKILL}


class ProcessTree:
    """A session's processes; each `look` remembers them, so that orphans are still found."""

    def __init__(self, session_id: str, leader: int) -> None:
        self._session_id = session_id
        self._known: dict[int, psutil.Process] = {}
        self._groups = {leader}
        self._looked_at = math.inf
        self._remember(leader)

    def look(self) -> list[Left]:
        seen = scan()
        for pid, process in list(self._known.items()):
            if pid not in seen or not process.is_running():
                del self._known[pid]
        if time.monotonic() - self._looked_at > _KNOWN_SECONDS:
            # A number that none of these has may belong to somebody else by now.
            self._groups &= {seen[pid].group for pid in self._known}
        self._looked_at = time.monotonic()
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
