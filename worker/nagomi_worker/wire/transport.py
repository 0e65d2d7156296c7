"""Listens and connects: Unix sockets, or loopback ports where there are none.

Python on Windows has no Unix sockets; `nagomi_worker/wire/loopback.py` says what stands in for them.
NAGOMI_SOCKETS=loopback has it so elsewhere, too.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from weakref import WeakKeyDictionary

from nagomi_worker.wire import trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_worker.wire.loopback import Gate


def by_loopback() -> bool:
    """Tell whether loopback ports stand in for Unix sockets."""
    return sys.platform == "win32" or os.environ.get("NAGOMI_SOCKETS") == "loopback"


def connect_to(path: str, timeout: float | None = None) -> socket.socket:
    """Return a connection to a process of this user at `path`, after checking folders and process.

    Raises:
        Untrusted: the folders or the process belong to another user.
        OSError: nobody listens there.
    """
    if not by_loopback():
        return trust.connect(path, timeout)
    from nagomi_worker.wire import loopback

    trust.check_place(path)
    return loopback.connect(path, timeout)


class NoWorker(RuntimeError):
    """A resident worker could neither be found nor started."""


class Listening:
    """A listening socket, and the file at `path` that leads to it."""

    def __init__(self, path: Path, listener: socket.socket) -> None:
        self._path = path
        self._socket = listener
        self._socket.setblocking(False)
        self._identity = _identity(path)

    def fileno(self) -> int:
        return self._socket.fileno()

    def accept(self) -> socket.socket:
        return self._socket.accept()[0]

    def admit(self, connection: socket.socket) -> bool | None:
        """Tell whether the client is accepted; None while that is not known."""
        raise NotImplementedError

    def intact(self) -> bool:
        """Tell whether clients can still find the socket by its path."""
        return _identity(self._path) == self._identity

    def close(self) -> None:
        if self.intact():
            with contextlib.suppress(OSError):  # Windows removes no file that somebody just reads
                self._path.unlink(missing_ok=True)
        self._socket.close()


class LoopbackListening(Listening):
    """A loopback port, and a file that holds its number and a secret."""

    def __init__(self, path: Path) -> None:
        from nagomi_worker.wire import loopback  # It loads OpenSSL.

        self._listener = loopback.Listener(path)
        self._settle = loopback.settle
        self._gates: WeakKeyDictionary[socket.socket, Gate] = WeakKeyDictionary()
        super().__init__(path, self._listener.socket)

    def accept(self) -> socket.socket:
        connection = super().accept()
        self._settle(connection)
        return connection

    def admit(self, connection: socket.socket) -> bool | None:
        gate = self._gates.get(connection)
        if gate is None:
            gate = self._gates[connection] = self._listener.gate()
        return gate.step(connection)


if sys.platform != "win32":

    class UnixListening(Listening):
        """A Unix socket that only its owner can open."""

        def __init__(self, path: Path) -> None:
            listener = socket.socket(socket.AF_UNIX)
            path.unlink(missing_ok=True)
            umask = os.umask(0o177)
            try:
                listener.bind(os.fspath(path))
            finally:
                os.umask(umask)
            listener.listen(8)
            super().__init__(path, listener)

        def admit(self, connection: socket.socket) -> bool | None:
            trust.check_peer(connection)
            return True

    def connect_unix(path: Path) -> socket.socket:
        """Return a connection to the socket at `path`.

        Raises:
            OSError: nobody listens there, or another user does.
        """
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(os.fspath(path))
            trust.check_peer(connection, os.fspath(path))
        except OSError:
            connection.close()
            raise
        return connection


def listen(path: Path) -> Listening:
    """Listen at `path`, in a folder that only the owner can enter; a stale socket is replaced."""
    make_folder(path)
    if sys.platform == "win32" or by_loopback():
        return LoopbackListening(path)
    else:
        return UnixListening(path)


def make_folder(path: Path) -> None:
    """Make the folder for a socket and its parents; existing ones stay as they are."""
    if not path.parent.is_dir():
        trust.make_private(os.fspath(path.parent))


def connect(path: Path) -> socket.socket:
    """Return a connection to the worker that listens at `path`.

    Raises:
        OSError: nobody listens there.
    """
    if sys.platform == "win32" or by_loopback():
        from nagomi_worker.wire import loopback

        return loopback.connect(os.fspath(path))
    else:
        return connect_unix(path)


def _identity(path: Path) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None
