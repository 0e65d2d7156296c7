"""The worker's socket for programs of its sessions, served by the worker's loop."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire.framing import LineSplitter
from nagomi_worker.wire.messages import REQUEST_BYTES
from nagomi_worker.wire.transport import Listening, listen
from nagomi_worker.wire.trust import make_private

_log = logging.getLogger(__name__)
MOST: Final = 64
"""Most programs that are connected at a time; further ones are closed unheard."""
_READ_BYTES: Final = 64 * 1024
_SECONDS: Final = 10.0
"""Seconds for a whole line, and for taking an answer."""
_LOOK_SECONDS: Final = 30.0


class Visitor:
    """One program at the socket."""

    def __init__(self, loop: Loop, connection: socket.socket, door: Door) -> None:
        connection.setblocking(False)
        self._loop = loop
        self._connection = connection
        self._door = door
        self._splitter = LineSplitter(REQUEST_BYTES)
        self._unsent = b""
        self.has_spoken = False
        self.open = True
        self._watch()
        loop.call_later(_SECONDS, self._lose_patience)

    def answer(self, line: bytes) -> None:
        """Send the answer, a line, and end the connection when it was taken."""
        self._unsent = line
        self._loop.call_later(_SECONDS, self.close)
        self._write()

    def close(self) -> None:
        """End the connection."""
        if self.open:
            self.open = False
            self._loop.unwatch(self._connection.fileno())
            self._connection.close()
            self._door.forget(self)

    def _watch(self) -> None:
        write = self._write if self._unsent else None
        self._loop.watch(self._connection.fileno(), read=self._read, write=write)

    def _lose_patience(self) -> None:
        if not self.has_spoken:
            self.close()

    def _read(self) -> None:
        try:
            data = self._connection.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        for line in self._splitter.feed(data):
            if isinstance(line, bytes) and not self.has_spoken and self.open:
                self.has_spoken = True
                self._door.heard(self, line)

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[self._connection.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent = b""
        if self._unsent:
            self._watch()
        else:
            self.close()


class Door:
    """Listens at `path` from the first `open` on, in a folder that is its own."""

    def __init__(
        self,
        loop: Loop,
        path: Path,
        heard: Callable[[Visitor, bytes], None],
        left: Callable[[Visitor], None],
    ) -> None:
        """`heard` gets the line of a program, and `left` one that waits for its answer no more."""
        self._loop = loop
        self._path = path
        self.heard = heard
        self._left = left
        self._visitors: set[Visitor] = set()
        self._listening: Listening | None = None

    def open(self) -> str:
        """Return the path of the socket, which is made if it is not there.

        Raises:
            OSError: it cannot be made.
        """
        if self._listening is None:
            self._listen()
            self._loop.call_later(_LOOK_SECONDS, self._look)
        return str(self._path)

    def close(self) -> None:
        """Stop listening, and end all connections."""
        if self._listening is not None:
            self._loop.unwatch(self._listening.fileno())
            self._listening.close()
            self._listening = None
        for visitor in self._visitors.copy():
            visitor.close()

    def forget(self, visitor: Visitor) -> None:
        """Forget a connection that has ended."""
        self._visitors.discard(visitor)
        if visitor.has_spoken:
            self._left(visitor)

    def _listen(self) -> None:
        make_private(str(self._path.parent))
        listening = listen(self._path)
        self._listening = listening
        self._loop.watch(listening.fileno(), read=lambda: self._accept(listening), write=None)

    def _look(self) -> None:
        """Make the socket again if something has cleaned it out of the temporary folder."""
        before = self._listening
        if before is None:
            return
        if not before.intact():
            try:
                self._listen()
            except OSError as exc:
                _log.warning("%s cannot be made: %s", self._path, exc)
            else:
                self._loop.unwatch(before.fileno())
                before.close()
        self._loop.call_later(_LOOK_SECONDS, self._look)

    def _accept(self, listening: Listening) -> None:
        try:
            connection = listening.accept()
        except OSError:
            return
        try:
            admitted = listening.admit(connection)
        except OSError as exc:
            _log.warning("a program is not let in: %s", exc)
            admitted = False
        if admitted and len(self._visitors) < MOST:
            self._visitors.add(Visitor(self._loop, connection, self))
        else:
            connection.close()
