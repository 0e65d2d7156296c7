"""Keeps the agent's process and the zygote running, for the supervisor."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Final

from nagomi_tui.orchestrator.resident.stuck import ReadEnd
from nagomi_tui.system import folders, paths
from nagomi_tui.system.environment import wants_zygote
from nagomi_tui.system.platforms import LINUX
from nagomi_worker.runtime.files import Busy, FileLock
from nagomi_worker.runtime.process import NO_WINDOW


def let_end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Close a child's standard input, and wait for its end; kill it after `seconds`."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


_PAUSES: Final = (0, 1, 3, 10, 30, 60)
"""Heartbeats (seconds) until the next start, by the number of early deaths in a row."""
_EARLY_BEATS: Final = 20
_SILENT_BEATS: Final = 20
"""Heartbeats (seconds) without a sign of life after which the agent is replaced."""
_END_SECONDS: Final = 1.0


class AgentKeeper:
    """Starts the agent when it is wanted, and again when it has ended or hangs.

    Its standard input is a pipe at whose end it ends; what it writes to its output says that it
    lives.
    """

    def __init__(self, *, wanted: bool) -> None:
        self.wanted = wanted
        self._process: subprocess.Popen[bytes] | None = None
        self._says: ReadEnd | None = None
        self._deaths = 0
        self._pause = 0
        self._age = 0
        self._silent = 0

    def want(self) -> None:
        """Keep the agent running from now on."""
        self.wanted = True
        if self._process is None and not self._pause:
            self._start()

    def beat(self) -> None:
        """Check on the agent; called each second."""
        if self._process is None:
            self._pause = max(0, self._pause - 1)
            if self.wanted and not self._pause:
                self._start()
        elif self._process.poll() is not None:
            self._bury()
        else:
            self._look(self._process)

    def end(self) -> None:
        """End the agent, and return when it has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        let_end(process, _END_SECONDS)
        if self._says is not None:
            self._says.close()
            self._says = None

    def _start(self) -> None:
        self._age = self._silent = 0
        command = [sys.executable, "-P", "-m", "nagomi_tui.agent.resident"]
        mine, its = os.pipe()
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=its, bufsize=0, creationflags=NO_WINDOW
            )
        except OSError:
            os.close(mine)
            self._put_off()
        else:
            self._says = ReadEnd(mine)
        finally:
            os.close(its)

    def _look(self, process: subprocess.Popen[bytes]) -> None:
        self._age += 1
        said = self._says is not None and self._says.wait(0) and self._says.read()
        self._silent = 0 if said else self._silent + 1
        if self._silent > _SILENT_BEATS:
            process.kill()

    def _bury(self) -> None:
        self.end()
        self._deaths = 0 if self._age > _EARLY_BEATS else self._deaths
        self._put_off()
        if not self._pause:
            self._start()

    def _put_off(self) -> None:
        """Delay the next start, longer with each early death."""
        self._pause = _PAUSES[min(self._deaths, len(_PAUSES) - 1)]
        self._deaths += 1


_FIRST_BEATS: Final = 2
"""Heartbeats (seconds) until it is started, since the first front end may be starting meanwhile."""
_PAUSE_BEATS: Final = 3
_LONG_PAUSE_BEATS: Final = 60
_SOON_BEATS: Final = 20
"""Heartbeats (seconds) of life below which it is not started again soon."""
_ZYGOTE_END_SECONDS: Final = 0.5


class ZygoteKeeper:
    """Starts the zygote, and starts another one when it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pause = _FIRST_BEATS
        self._age = 0
        self._wanted = LINUX and wants_zygote()

    def beat(self) -> None:
        """Check on the zygote; called each second."""
        if not self._wanted:
            return
        if self._process is None:
            self._pause -= 1
            if self._pause <= 0:
                self._start()
        elif self._process.poll() is None:
            self._age += 1
        else:
            self._process = None
            self._pause = _LONG_PAUSE_BEATS if self._age < _SOON_BEATS else _PAUSE_BEATS

    def end(self) -> None:
        """End the zygote, and return when it has ended; one that was killed leaves no socket, either."""
        process, self._process = self._process, None
        if process is not None:
            let_end(process, _ZYGOTE_END_SECONDS)
        socket = folders.zygote_socket()
        if os.path.exists(socket):
            with contextlib.suppress(OSError, Busy):
                _remove(socket)

    def _start(self) -> None:
        self._age = 0
        command = [sys.executable, "-P", "-m", "nagomi_tui.commands.start.zygote"]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
        except OSError:
            self._pause = _LONG_PAUSE_BEATS


def _remove(socket: str) -> None:
    """Remove the socket of a dead zygote.

    Raises:
        Busy: a living one holds the lock.
        OSError: it cannot be removed.
    """
    lock = FileLock(paths.state_folder() / paths.ZYGOTE_LOCK)
    lock.take()
    try:
        os.unlink(socket)
    finally:
        lock.release()
    paths.remove_empty_places()
