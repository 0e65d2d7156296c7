"""Reads one PTY in a thread while it floods, so that its program need not wait for the worker.

The kernel keeps some 12 KiB of a terminal's output, and its program sleeps once that is full. A
worker that sends, or waits to be scheduled, for a tenth of a millisecond is behind at once; this
thread does nothing but read. On Linux only: Windows has no `poll`, and macOS had a wrong one.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections import deque
from typing import Final

from nagomi_worker.pty.interface import Pty

_PIECE: Final = 16 * 1024
"""Bytes of one read at most; newer kernels give more than 4 KiB when a program is quick."""
_AHEAD: Final = 512 * 1024
"""Bytes that are read at most before the worker has taken them."""
_PATIENCE: Final = 0.01
"""Seconds after which the thread ends where nothing was printed, or nothing taken."""
_running: set[ReadingThread] = set()


class ReadingThread:
    """Reads a PTY until it is silent, has ended, or `end` is called; then `over` is true."""

    def __init__(self, pty: Pty) -> None:
        self._pty = pty
        self._pieces: deque[bytes] = deque()
        self._read = self._taken = 0
        self._told_to_end = self._waits = False
        self._has_room = threading.Event()
        self.over = False
        """The thread reads no more; what it has read may still be taken."""
        self._thread = threading.Thread(target=self._run, name="reads a PTY", daemon=True)
        _running.add(self)
        self._thread.start()

    @property
    def held(self) -> int:
        """Bytes that were read and not taken yet."""
        return self._read - self._taken

    def take(self, most: int) -> bytes:
        """Return what was read and not taken yet, at most `most` bytes."""
        pieces: list[bytes] = []
        size = 0
        while self._pieces and size < most:
            piece = self._pieces.popleft()
            if len(piece) > most - size:
                self._pieces.appendleft(piece[most - size :])
                piece = piece[: most - size]
            pieces.append(piece)
            size += len(piece)
        self._taken += size
        if self._waits and size:
            self._has_room.set()
        return b"".join(pieces)

    def end(self) -> None:
        """Have the thread end soon, without waiting for it."""
        self._told_to_end = True

    def join(self) -> None:
        """End the thread, and wait until it reads no more: some milliseconds."""
        self.end()
        self._has_room.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._read_on()
        finally:
            self.over = True
            _running.discard(self)

    def _read_on(self) -> None:
        while not self._told_to_end and self._wait_for_room():
            try:
                piece = self._pty.read(_PIECE)
            except BlockingIOError:
                if self._wait_for_output():
                    continue
                return
            if not piece:
                return
            self._pieces.append(piece)
            self._read += len(piece)

    def _wait_for_output(self) -> bool:
        if sys.platform != "linux":
            return False
        ready = select.poll()
        ready.register(self._pty.fileno(), select.POLLIN)
        return bool(ready.poll(_PATIENCE * 1000))

    def _wait_for_room(self) -> bool:
        if self.held < _AHEAD:
            return True
        self._has_room.clear()
        self._waits = True
        waited = self.held < _AHEAD or self._has_room.wait(_PATIENCE)
        self._waits = False
        return waited


def _end_all() -> None:
    """A fork takes none but its own thread along, and whatever another one holds is held for ever."""
    for thread in list(_running):
        thread.join()


if sys.platform == "linux":
    os.register_at_fork(before=_end_all)
