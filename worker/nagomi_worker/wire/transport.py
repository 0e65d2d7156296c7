"""Connects to a resident worker: by a Unix socket, or by loopback TCP with a token file.

Python on Windows has no Unix sockets. There the file at the path holds a port and a token, which
only its owner can read, and a client first sends the token as a line.
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
    """A listening socket."""

    def fileno(self) -> int: ...
    def accept(self) -> socket.socket: ...
    def admit(self, connection: socket.socket) -> bool | None:
        """Tell whether the client is accepted; None if it has not sent its whole token yet."""

    def intact(self) -> bool:
        """Tell whether clients can still find the socket by its path."""

    def close(self) -> None: ...


class _Socket:
    """What both kinds share: a listening socket, and the file at `path` that leads to it."""

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
    """A loopback port, and a file that holds its number and a token."""

    def __init__(self, path: Path) -> None:
        import secrets  # Imported here: it loads OpenSSL (1 MB), and only Windows uses it.

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
    """Return a connection to the port in the file at `path`.

    Raises:
        OSError: nobody listens there, or the file has another form.
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
    """Listen at `path`, in a folder that only the owner can enter; a stale socket is replaced."""
    make_folder(path)
    if sys.platform == "win32":
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
    if sys.platform == "win32":
        return connect_loopback(path)
    else:
        return connect_unix(path)


def _identity(path: Path) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None
