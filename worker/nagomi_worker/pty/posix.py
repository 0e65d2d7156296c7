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
import os
import signal
import struct
import sys
import termios
from typing import TYPE_CHECKING, Final

from ptyprocess import PtyProcess

from nagomi_worker.pty.command import Launch, StartError
from nagomi_worker.pty.interface import Ended, Wake
from nagomi_worker.runtime.limits import WorkerFault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    from nagomi_worker.confine.interface import Confinement, Report
    from nagomi_worker.pty.activity import Activity
    from nagomi_worker.pty.interface import Pty, Tree
    from nagomi_worker.runtime.loop import Loop
    from nagomi_worker.wire.messages import Guard

assert sys.platform != "win32"

from nagomi_worker.pty.activity_linux import look  # noqa: E402 (nothing on Windows)
from nagomi_worker.pty.processes import ProcessTree, end_descendants  # noqa: E402 (nothing on Windows)
from nagomi_worker.runtime import open_files, signals  # noqa: E402 (nothing on Windows)

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
        try:
            modes: int = termios.tcgetattr(self._fd)[3]
        except (OSError, termios.error):
            return False
        return bool(modes & termios.ICANON) and not modes & termios.ECHO

    def close(self) -> None:
        os.close(self._fd)

    def _foreground_group(self) -> int:
        with contextlib.suppress(OSError):
            if (group := os.tcgetpgrp(self._fd)) > 0:
                return group
        return self.pid


class PosixHost:
    """Spawns commands and reaps every child, daemons among them: the worker is a subreaper."""

    def __init__(self) -> None:
        signals.begin_anew()
        open_files.raise_limit()
        _become_subreaper()
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_in, False)
        os.set_blocking(self._wake_out, False)
        signal.set_wakeup_fd(self._wake_out, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _only_wake)
        signal.signal(signal.SIGTERM, _only_wake)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

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
        self,
        loop: Loop,
        guard: Guard,
        env: Mapping[str, str],
        tell: Callable[[Report], None],
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
        signals.restore()
        open_files.restore_limit()

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
