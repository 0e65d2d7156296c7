"""Keeps the zygote of front ends running; a part of the supervisor, with which it ends."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Final

from nagomi_tui import folders, paths
from nagomi_tui.orchestrator.resident.children import let_end
from nagomi_tui.variables import wants_zygote
from nagomi_worker.runtime.lock import Busy, FileLock

_FIRST_BEATS: Final = 2
"""Heartbeats (seconds) until it is started, since the first front end may be starting meanwhile."""
_PAUSE_BEATS: Final = 3
_LONG_PAUSE_BEATS: Final = 60
_SOON_BEATS: Final = 20
"""Heartbeats (seconds) of life below which it is not started again soon."""
_END_SECONDS: Final = 0.5


class ZygoteKeeper:
    """Starts the zygote, and starts another one when it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pause = _FIRST_BEATS
        self._age = 0
        self._wanted = sys.platform == "linux" and wants_zygote()

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
            let_end(process, _END_SECONDS)
        socket = folders.zygote_socket()
        if os.path.exists(socket):
            with contextlib.suppress(OSError, Busy):
                _remove(socket)

    def _start(self) -> None:
        self._age = 0
        command = [sys.executable, "-P", "-m", "nagomi_tui.zygote"]
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
