"""`--stdio --resident`: carries bytes between this process's stdio and a resident worker."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from nagomi_worker.pty.command import DAEMON_MARK, SESSION_MARK
from nagomi_worker.runtime import process
from nagomi_worker.wire import trust
from nagomi_worker.wire.protocol import VERSION, Hello, encode
from nagomi_worker.wire.transport import NoWorker, connect

_START_SECONDS: Final = 10.0
_PIECE: Final = 65536


def default_path(workplace: str) -> Path:
    """Return the path of a host's resident worker where no `--socket` names another.

    Each `workplace` that says which one it is has a worker of its own there.
    """
    if sys.platform == "win32":
        owner = os.environ.get("USERNAME", "user")
    else:
        owner = str(os.getuid())
    return (
        Path(tempfile.gettempdir())
        / f"nagomi-{owner}"
        / (f"worker-{workplace}" if workplace else "worker")
    )


def run(path: Path, fd_in: int, fd_out: int, program: Sequence[str]) -> None:
    """Carry bytes both ways until one side ends; the resident worker runs on.

    Where there is none, `program` starts one.

    Raises:
        NoWorker: there is none, and none could be started.
    """
    connection = _reach(path, program)
    # The client may know only the fixed messages. If it sends a hello of its own, that one counts.
    connection.sendall(encode(Hello(version=VERSION, capabilities=(), pid=os.getpid())))
    # One direction needs a thread, because Windows cannot wait for a pipe and a socket together.
    threading.Thread(target=carry_in, args=(fd_in, connection), daemon=True).start()
    carry_out(connection, fd_out)


def carry_out(connection: socket.socket, fd_out: int) -> None:
    """Write everything that is received to `fd_out`, until the connection ends."""
    try:
        while piece := connection.recv(_PIECE):
            _write_all(fd_out, piece)
    except OSError:
        return


def carry_in(fd_in: int, connection: socket.socket) -> None:
    """Send everything that is read from `fd_in`, then shut down the sending side."""
    try:
        while piece := os.read(fd_in, _PIECE):
            connection.sendall(piece)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        return


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _reach(path: Path, program: Sequence[str]) -> socket.socket:
    _check_owner(path.parent)
    try:
        return connect(path)
    except OSError:
        _start(path, program)
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            return connect(path)
        except OSError as exc:
            if time.monotonic() > deadline:
                raise NoWorker(f"No worker could be started at {path}: {exc}.") from exc
            time.sleep(0.02)


def _check_owner(folder: Path) -> None:
    """Make the folder of the socket, and trust it only if nobody else can have made it.

    Raises:
        NoWorker: it belongs to another user, who could listen in our place.
    """
    try:
        if not folder.is_dir():
            trust.make_private(os.fspath(folder))
        trust.check_folder(os.fspath(folder))
    except trust.Untrusted as exc:
        # Others may enter this folder, as --socket allows: `connect` checks who listens.
        if exc.kind != "open":
            raise NoWorker(
                f"{folder} belongs to another user, or is a symbolic link. "
                "Name another place with --socket."
            ) from exc


def _start(path: Path, program: Sequence[str]) -> None:
    """Start a resident worker that outlives this process and its terminal."""
    env = {name: value for name, value in os.environ.items() if name != SESSION_MARK}
    process.start([*program, "--socket", str(path)], env={**env, DAEMON_MARK: "1"})
