"""Sockets where there are no Unix sockets: a loopback port, and a file that leads to it.

Any user of the machine can connect to the port, or listen at one that has become free. So the file
holds a secret beside the port, which only its owner can read, and both sides prove that they know
it before anything else is said. The secret itself is never sent: the client sends a number drawn
for this connection, the server one of its own with its proof, the client its proof.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import socket
import sys
from typing import TYPE_CHECKING, Final

from nagomi_worker.runtime import files
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    from nagomi_worker.wire import private_windows

_ADDRESS: Final = "127.0.0.1"
_SECRET_BYTES: Final = 32
_NUMBER: Final = 32
"""Characters of the number that each side draws."""
_PROOF: Final = 64
_FILE_BYTES: Final = 128
_PROVE_SECONDS: Final = 5.0


class Listener:
    """A loopback port whose number and secret are in the file at `path`, replaced if there is one."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket()
        if sys.platform == "win32":
            # Without this another program could listen at the same port.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        try:
            self.socket.bind((_ADDRESS, 0))
            self.socket.listen(128)
            self.socket.setblocking(False)
            self._secret = secrets.token_hex(_SECRET_BYTES)
            _write(path, f"{self.socket.getsockname()[1]} {self._secret}\n")
        except OSError:
            self.socket.close()
            raise

    def gate(self) -> Gate:
        """Return what a new client has to pass."""
        return Gate(self._secret)


class Gate:
    """The server's side of one connection, until both have proved that they know the secret."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._heard = b""
        self._expected = ""

    def step(self, connection: socket.socket) -> bool | None:
        """Take what a client has sent; tell whether it is let in, None while that is not known.

        Nothing is read of what follows its proof.

        Raises:
            BlockingIOError: nothing more has arrived.
            OSError: the connection is broken.
        """
        wanted = (_PROOF if self._expected else _NUMBER) + 1
        while len(self._heard) < wanted:
            piece = connection.recv(wanted - len(self._heard))
            if not piece:
                return False
            self._heard += piece
        said, self._heard = self._heard[:-1].decode("ascii", "replace"), b""
        if self._expected:
            return hmac.compare_digest(said.encode(), self._expected.encode())
        number = secrets.token_hex(_NUMBER // 2)
        self._expected = _proof(self._secret, "client", said, number)
        answer = f"{number}{_proof(self._secret, 'server', said, number)}\n".encode()
        return None if connection.send(answer) == len(answer) else False


def connect(path: str, timeout: float | None = None) -> socket.socket:
    """Return a connection to the process of this user that has made the file at `path`.

    Raises:
        Untrusted: the file is another user's, or who listens at its port does not know the secret.
        OSError: nobody listens there, or the file has another form.
    """
    port, secret = _read(path)
    connection = socket.create_connection((_ADDRESS, port), timeout or _PROVE_SECONDS)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _prove(connection, path, secret)
        connection.settimeout(timeout)
    except OSError:
        connection.close()
        raise
    return connection


def settle(connection: socket.socket) -> None:
    """Have an accepted connection send at once and never wait."""
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _prove(connection: socket.socket, path: str, secret: str) -> None:
    number = secrets.token_hex(_NUMBER // 2)
    connection.sendall(f"{number}\n".encode())
    answer = b""
    while len(answer) < _NUMBER + _PROOF + 1:
        piece = connection.recv(_NUMBER + _PROOF + 1 - len(answer))
        if not piece:
            raise ConnectionError(f"who listens for {path} has closed the connection")
        answer += piece
    said = answer.decode("ascii", "replace")
    theirs, proof = said[:_NUMBER], said[_NUMBER:-1]
    expected = _proof(secret, "server", number, theirs)
    if not hmac.compare_digest(proof.encode(), expected.encode()):
        raise trust.Untrusted("peer", path, -1)
    connection.sendall(f"{_proof(secret, 'client', number, theirs)}\n".encode())


def _proof(secret: str, side: str, client: str, server: str) -> str:
    words = f"nagomi {side} {client} {server}".encode()
    return hmac.new(secret.encode(), words, hashlib.sha256).hexdigest()


def _read(path: str) -> tuple[int, str]:
    """Return port and secret.

    Raises:
        Untrusted: another user could have written the file.
        OSError: there is none, or none of ours.
    """
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        if sys.platform == "win32":
            private_windows.check_owner(path)
        else:
            found = os.fstat(fd)
            if not trust.is_ours(found.st_uid):
                raise trust.Untrusted("owner", path, found.st_uid)
            if found.st_mode & 0o077:
                raise trust.Untrusted("open", path, found.st_uid, found.st_mode & 0o777)
        text = os.read(fd, _FILE_BYTES).decode("ascii")
        port, secret = text.split()
        if not text.endswith("\n") or len(secret) != 2 * _SECRET_BYTES or not 0 < int(port) < 65536:
            raise ValueError
    except ValueError as exc:
        raise OSError(f"{path} does not tell a port and a secret") from exc
    finally:
        os.close(fd)
    return int(port), secret


def _write(path: Path, text: str) -> None:
    """Write a file that only this user can read; who reads meanwhile sees the old or the new one."""
    spare = path.with_name(f".{path.name}.{os.getpid()}.new")
    spare.unlink(missing_ok=True)
    if sys.platform == "win32":
        fd = private_windows.create(os.fspath(spare))
    else:
        fd = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", newline="\n") as file:
        file.write(text)
    try:
        files.replace(spare, path)
    except OSError:
        with contextlib.suppress(OSError):
            spare.unlink()
        raise
