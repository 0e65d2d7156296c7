"""One connection to the orchestrator: lines in, lines out, never blocking."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.client import open_socket
from nagomi_tui.view.connection.io_thread import READ, WRITE
from nagomi_worker.wire import connecting

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.view.connection.io_thread import IoThread

_READ_BYTES: Final = 256 * 1024
_READS_A_TURN: Final = 4
"""Reads from the socket in one turn, before keys are read again."""


def connect(address: Path | None = None) -> socket.socket:
    """Return a connection to this workplace's front-end socket, or to the one at `address`.

    Raises:
        OSError: nobody of ours listens there.
    """
    connection = connecting.connect(str(address)) if address else open_socket()
    connection.setblocking(False)
    return connection


class LineSocket:
    """A connected socket in the IO thread."""

    def __init__(
        self,
        connection: socket.socket,
        io: IoThread,
        *,
        on_line: Callable[[bytes], object],
        on_closed: Callable[[], object],
    ) -> None:
        self._connection = connection
        self._io = io
        self._on_line = on_line
        self._on_closed = on_closed
        self._pieces: list[bytes] = []
        self._waiting: deque[bytes] = deque()
        self._open = True
        self._stuck = False
        """Whether the socket has not taken all of what was sent."""
        io.watch(connection, READ, self._ready)

    def send(self, line: bytes) -> None:
        """Send a line now, or as soon as the socket takes it."""
        if not self._open:
            return
        self._waiting.append(line)
        if len(self._waiting) == 1:
            self._flush()

    def close(self) -> None:
        """Close the connection; `on_closed` is not called."""
        if self._open:
            self._open = False
            self._io.unwatch(self._connection)
            self._connection.close()

    def _ready(self, events: int) -> None:
        if events & WRITE:
            self._flush()
        if events & READ and self._open:
            self._read()

    def _read(self) -> None:
        for _ in range(_READS_A_TURN):
            try:
                data = self._connection.recv(_READ_BYTES)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._lost()
                return
            self._split(data)
            if len(data) < _READ_BYTES:
                return

    def _split(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            if self._pieces:
                end = b"".join((*self._pieces, end))
                self._pieces.clear()
            if end and self._open:
                self._on_line(end)
        if rest:
            self._pieces.append(rest)

    def _flush(self) -> None:
        try:
            while self._waiting:
                line = self._waiting[0]
                sent = self._connection.send(line)
                if sent < len(line):
                    self._waiting[0] = line[sent:]
                else:
                    self._waiting.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self._lost()
            return
        if bool(self._waiting) is not self._stuck:
            self._stuck = not self._stuck
            events = READ | WRITE if self._stuck else READ
            self._io.watch(self._connection, events, self._ready)

    def _lost(self) -> None:
        if self._open:
            self.close()
            self._on_closed()
