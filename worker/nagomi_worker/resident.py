"""Listens for the orchestrator, and decides which connection becomes the worker's peer.

Socket and lock are made again where something has cleaned them out of the temporary folder.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from nagomi_worker.runtime.files import Busy, FileLock, lock_path
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire.peer import SocketStream, Stream
from nagomi_worker.wire.protocol import BadMessage, Hello, decode_to_worker
from nagomi_worker.wire.transport import Listening, listen, make_folder

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


_log = logging.getLogger(__name__)
_LOOK_SECONDS: Final = 30.0
_FULL_SECONDS: Final = 0.5
"""Seconds without accepting clients after the process ran out of file descriptors."""


class Taken(RuntimeError):
    """Another worker serves at this path already."""


class LockedListener:
    """Holds the lock of the path, listens there, and calls `connect` for each client.

    Raises:
        Taken: another worker serves at the path.
        OSError: lock or socket cannot be made.
    """

    def __init__(
        self,
        loop: Loop,
        path: Path,
        connect: Callable[[Stream, Hello], None],
        *,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        self._loop = loop
        self._path = path
        self._arrivals = Arrivals(loop, connect)
        self._look_seconds = look_seconds
        self._full = False
        """No descriptor was free for the last client, which was logged."""
        self._lock = _lock(path)
        self._listening = self._open()
        self._look_later()

    def close(self) -> None:
        """Stop listening and remove the lock."""
        self._loop.unwatch(self._listening.fileno())
        self._listening.close()
        self._arrivals.close()
        with contextlib.suppress(OSError):
            self._lock.release()
            lock_path(self._path).unlink(missing_ok=True)

    def _open(self) -> Listening:
        listening = listen(self._path)
        self._watch(listening)
        return listening

    def _watch(self, listening: Listening) -> None:
        self._loop.watch(listening.fileno(), read=self._accept, write=None)

    def _accept(self) -> None:
        try:
            connection = self._listening.accept()
        except (BlockingIOError, ConnectionError):
            return
        except OSError as exc:
            self._rest(exc)
            return
        self._full = False
        self._arrivals.add(connection, self._listening.admit)

    def _rest(self, fault: OSError) -> None:
        """Accept nobody for a while: no descriptor is free for a connection."""
        if not self._full:
            _log.warning("nobody can be let in for now: %s", fault)
        self._full = True
        self._loop.unwatch(self._listening.fileno())
        self._loop.call_later(_FULL_SECONDS, lambda: self._watch(self._listening))

    def _look_later(self) -> None:
        self._loop.call_later(self._look_seconds, self._look)

    def _look(self) -> None:
        """Make lock and socket again if something has removed them."""
        with contextlib.suppress(OSError, Taken):
            if not self._lock.intact():
                before, self._lock = self._lock, _lock(self._path)
                before.release()
        if not self._listening.intact():
            _log.warning("%s was removed; it is made again", self._path)
            try:
                listening = self._open()
            except OSError as exc:
                _log.warning("%s cannot be made: %s", self._path, exc)
            else:
                self._loop.unwatch(self._listening.fileno())
                self._listening.close()
                self._listening = listening
        self._look_later()


def _lock(path: Path) -> FileLock:
    make_folder(path)
    lock = FileLock(lock_path(path))
    try:
        lock.take()
    except Busy as exc:
        raise Taken(f"A worker serves at {path} already. Use that one, or another path.") from exc
    return lock
