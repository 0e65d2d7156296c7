"""Connections to a worker that are not its peer yet: each becomes it by a whole `hello` only."""

from __future__ import annotations

import contextlib
import socket
from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_worker.wire.peer import SocketStream
from nagomi_worker.wire.protocol import BadMessage, Hello, decode_to_worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_worker.runtime.loop import Loop
    from nagomi_worker.wire.peer import Stream

MOST: Final = 16
"""Most connections that wait at a time; beyond that the oldest is closed."""
_SECONDS: Final = 5.0
_HELLO_BYTES: Final = 4096


class _Refused(Exception):
    """The connection is not that of an orchestrator of this user."""


class Arrivals:
    """Reads new connections until their hello is complete, while the present peer goes on."""

    def __init__(
        self, loop: Loop, connect: Callable[[Stream, Hello], None], *, seconds: float = _SECONDS
    ) -> None:
        self._loop = loop
        self._connect = connect
        self._seconds = seconds
        self._waiting: list[_Arrival] = []

    def add(self, connection: socket.socket, admit: Callable[[socket.socket], bool | None]) -> None:
        """Begin to read a connection; `admit` tells whether it is accepted, None while unknown."""
        connection.setblocking(False)
        while len(self._waiting) >= MOST:
            self._refuse(self._waiting[0])
        arrival = _Arrival(connection, admit)
        self._waiting.append(arrival)
        hear = partial(self._hear, arrival)
        self._loop.watch(connection.fileno(), read=hear, write=None)
        self._loop.call_later(self._seconds, partial(self._refuse, arrival))
        hear()

    def close(self) -> None:
        """Close all connections that wait."""
        for arrival in self._waiting.copy():
            self._refuse(arrival)

    def _hear(self, arrival: _Arrival) -> None:
        try:
            hello = arrival.hello()
        except BlockingIOError:
            return
        except (OSError, _Refused):
            self._refuse(arrival)
            return
        self._forget(arrival)
        self._connect(SocketStream(arrival.connection), hello)

    def _refuse(self, arrival: _Arrival) -> None:
        if arrival in self._waiting:
            self._forget(arrival)
            arrival.connection.close()

    def _forget(self, arrival: _Arrival) -> None:
        self._waiting.remove(arrival)
        self._loop.unwatch(arrival.connection.fileno())


class _Arrival:
    """One connection, and what it has sent so far."""

    def __init__(
        self, connection: socket.socket, admit: Callable[[socket.socket], bool | None]
    ) -> None:
        self.connection = connection
        self._admit = admit
        self._admitted: bool | None = None
        self._said = b""

    def hello(self) -> Hello:
        """Return its hello; what follows that line is left unread.

        Raises:
            BlockingIOError: the hello is not complete yet.
            OSError: the connection is broken, or another user's.
            _Refused: it has ended, or has sent something else.
        """
        if self._admitted is None:
            self._admitted = self._admit(self.connection)
        if self._admitted is None:
            raise BlockingIOError
        if not self._admitted:
            raise _Refused
        while not self._said.endswith(b"\n"):
            self._read_on()
        with contextlib.suppress(BadMessage):
            if isinstance(message := decode_to_worker(self._said), Hello):
                return message
        raise _Refused

    def _read_on(self) -> None:
        """Read what has arrived, at most to the end of the line."""
        seen = self.connection.recv(_HELLO_BYTES - len(self._said), socket.MSG_PEEK)
        if not seen:
            raise _Refused
        self._said += self.connection.recv(seen.find(b"\n") + 1 or len(seen))
