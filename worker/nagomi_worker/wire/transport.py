"""How a resident worker is reached: a Unix socket, or loopback TCP with a token file.

Windows Python has no Unix sockets; there the path holds a port and a token that only the user
can read, and a client sends the token's line first.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from typing import TYPE_CHECKING, Final, Protocol

from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from pathlib import Path

_TOKEN_BYTES: Final = 16
_TOKEN_LINE: Final = 2 * _TOKEN_BYTES + 1


class NoWorker(RuntimeError):
    """A resident worker could neither be found nor started."""


class Listening(Protocol):
    """A place where clients come in."""

    def fileno(self) -> int: ...
    def accept(self) -> socket.socket: ...
    def admit(self, connection: socket.socket) -> bool | None:
        """Whether the client may come in; None if that is not known yet."""

    def intact(self) -> bool:
        """Whether clients can still find it."""

    def close(self) -> None: ...


class _Socket:
    """What both kinds share: a socket that is found by a file of ours at `path`."""

    def __init__(self, path: Path, listener: socket.socket) -> None:
        self._path = path
        self._socket = listener
        self._socket.setblocking(False)
        self._identity = _identity(path)

    def fileno(self) -> int:
        return self._socket.fileno()

    def accept(self) -> socket.socket:
        return self._socket.accept()[0]

    def intact(self) -> bool:
        return _identity(self._path) == self._identity

    def close(self) -> None:
        if self.intact():
            self._path.unlink(missing_ok=True)
        self._socket.close()


class LoopbackListening(_Socket):
    """A port of this machine, and a file that tells it together with a token."""

    def __init__(self, path: Path) -> None:
        import secrets  # 1 MB with OpenSSL, and used on Windows only

        listener = socket.create_server(("127.0.0.1", 0))
        self._token = secrets.token_hex(_TOKEN_BYTES)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{listener.getsockname()[1]} {self._token}\n")
        super().__init__(path, listener)

    def admit(self, connection: socket.socket) -> bool | None:
        seen = connection.recv(_TOKEN_LINE, socket.MSG_PEEK)
        if seen and len(seen) < _TOKEN_LINE:
            return None
        connection.recv(len(seen))
        import hmac

        return hmac.compare_digest(seen, f"{self._token}\n".encode())


def connect_loopback(path: Path) -> socket.socket:
    """Return a connection to the port that the file at `path` tells.

    Raises:
        OSError: nobody listens there, or the file is not of ours.
    """
    try:
        port, token = path.read_text().split()
        connection = socket.create_connection(("127.0.0.1", int(port)))
    except ValueError as exc:
        raise OSError(f"{path} does not tell a port and a token") from exc
    connection.sendall(f"{token}\n".encode())
    return connection


if sys.platform != "win32":

    class UnixListening(_Socket):
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
    """Make the place at `path`, in a folder of the owner's own. A stale one is replaced."""
    make_folder(path)
    if sys.platform == "win32":
        return LoopbackListening(path)
    else:
        return UnixListening(path)


def make_folder(path: Path) -> None:
    """Make the folder for a socket, and those above it; one that is there stays as it is."""
    if not path.parent.is_dir():
        trust.make_private(os.fspath(path.parent))


def connect(path: Path) -> socket.socket:
    """Return a connection to the worker that listens at `path`.

    Raises:
        OSError: nobody listens there.
    """
    if sys.platform == "win32":
        return connect_loopback(path)
    else:
        return connect_unix(path)


def _identity(path: Path) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None
