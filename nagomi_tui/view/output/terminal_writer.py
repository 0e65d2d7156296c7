"""Bytes to the terminal: in order, whole, and never waiting for it."""

from __future__ import annotations

import os
import select
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from nagomi_tui.view.connection.io_thread import WRITE

if TYPE_CHECKING:
    from nagomi_tui.view.connection.link import Link

_PIECE: Final = 64 * 1024


class TerminalWriter:
    """The only writer to the terminal. `write` and `behind` are used under `link.lock`."""

    def __init__(self, fd: int, link: Link) -> None:
        self._link = link
        self._fd = _own_description(fd)
        self._waiting: deque[bytes] = deque()
        self._watched = False
        self._gone = False

    @property
    def behind(self) -> bool:
        """Whether the terminal has not taken everything yet."""
        return bool(self._waiting)

    def write(self, data: bytes) -> None:
        """Write now what the terminal takes; the rest follows as soon as it takes more."""
        if not data or self._gone:
            return
        self._waiting.append(data)
        if len(self._waiting) == 1:
            self._flush()
        if self._waiting and not self._watched:
            self._watched = True
            self._link.io.call(self._watch)

    def finish(self, seconds: float) -> None:
        """Write everything, as far as the terminal takes it within `seconds`."""
        deadline = time.monotonic() + seconds
        while self._waiting and not self._gone and (left := deadline - time.monotonic()) > 0:
            select.select([], [self._fd], [], left)
            self._flush()

    def close(self) -> None:
        """Give the terminal back; called when the IO thread no longer watches it."""
        if not self._gone:
            self._gone = True
            os.close(self._fd)

    def unwatch(self) -> None:
        """Wait for the terminal no longer; in the IO thread."""
        self._link.io.unwatch(self._fd)
        self._watched = False

    def _watch(self) -> None:
        if not self._gone:
            self._link.io.watch(self._fd, WRITE, self._ready)

    def _ready(self, _events: int) -> None:
        with self._link.lock:
            self._flush()
            if not self._waiting:
                self.unwatch()

    def _flush(self) -> None:
        while self._waiting:
            data = self._waiting[0]
            try:
                written = os.write(self._fd, data[:_PIECE])
            except BlockingIOError:
                return
            except OSError:
                # The terminal was closed. Whoever reads from it hears so too.
                self._waiting.clear()
                return
            if written < len(data):
                self._waiting[0] = data[written:]
            else:
                self._waiting.popleft()


def _own_description(fd: int) -> int:
    """Return the terminal opened anew: non-blocking mode concerns all who share a description."""
    if sys.platform == "win32":
        return os.dup(fd)
    try:
        return os.open(os.ttyname(fd), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return os.dup(fd)
