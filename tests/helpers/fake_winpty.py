"""What pywinpty offers, over a POSIX terminal: the real one needs Windows.

Its signatures are compared with those of the real package in tests/worker/test_windows.py.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import shlex
import signal
import struct
import subprocess
import termios

from nagomi_worker.wire.messages import Left
from tests.helpers.waiting import alive


class WinptyError(Exception):
    """As the real one."""


class PTY:
    """A pseudo console that is a POSIX terminal; like ConPTY it never reports its end by itself."""

    def __init__(
        self,
        cols: int,
        rows: int,
        backend: int | None = None,
        mouse_mode: int = 0,
        timeout: int = 30000,
        agent_config: int = 4,
    ) -> None:
        self._master, self._slave = os.openpty()
        self._cancel_out, self._cancel_in = os.pipe()
        self._child: subprocess.Popen[bytes] | None = None
        self._cancelled = False
        self.set_size(cols, rows)

    def spawn(
        self,
        appname: str,
        cmdline: str | None = None,
        cwd: str | None = None,
        env: str | None = None,
    ) -> bool:
        if not isinstance(appname, str) or not (cmdline is None or cmdline.startswith(" ")):
            raise TypeError("appname is a str, and cmdline begins with a space")
        words = [entry.split("=", 1) for entry in (env or "").rstrip("\0").split("\0") if entry]
        if not os.access(appname, os.X_OK):
            raise WinptyError(f"{appname} cannot be run")
        self._child = subprocess.Popen(
            ["setsid", "--ctty", appname, *shlex.split(cmdline or "")],
            cwd=cwd,
            env={name: value for name, value in words},
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
        )
        return True

    def read(self, blocking: bool = False) -> str:
        ready, _, _ = select.select(
            [self._master, self._cancel_out], [], [], None if blocking else 0
        )
        if self._master in ready:
            return os.read(self._master, 32768).decode("utf-8", "replace")
        return ""

    def write(self, to_write: str) -> int:
        if not isinstance(to_write, str):
            raise TypeError("write takes a str")
        return os.write(self._master, to_write.encode())

    def set_size(self, cols: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def isalive(self) -> bool:
        assert self._child is not None
        return self._child.poll() is None

    def get_exitstatus(self) -> int | None:
        assert self._child is not None
        return self._child.poll()

    def iseof(self) -> bool:
        return self._cancelled

    def cancel_io(self) -> bool:
        self._cancelled = True
        os.write(self._cancel_in, b"\0")
        return True

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    @property
    def fd(self) -> int | None:
        return self._master


class Job:
    """A job object's stand-in: the process group of what was started."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def wait(self) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT)

    def processes(self) -> list[Left]:
        return [Left(self._pid, "leader")] if alive(self._pid) else []

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
