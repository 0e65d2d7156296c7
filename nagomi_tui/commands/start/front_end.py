"""What the zygote forks: it becomes the front end of the process that the user started."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from typing import Final, NoReturn

from nagomi_tui.agents import process_tree
from nagomi_tui.commands.start import wire
from nagomi_tui.system.platforms import LINUX
from nagomi_tui.view.driver import starter
from nagomi_worker.wire import trust

assert LINUX

_PATIENCE: Final = 2.0
"""Seconds for a client to say what it wants; it has given up before that."""
_TAKEN: Final = frozenset(
    {
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGWINCH,
        signal.SIGTSTP,
        signal.SIGCONT,
    }
)


def become(peer: socket.socket) -> NoReturn:
    """Do what the client at `peer` asks, and end."""
    code = 1
    try:
        _be_ordinary()
        if _take_over(peer):
            code = _attach(peer)
    finally:
        os._exit(code)


def _be_ordinary() -> None:
    """Undo what the zygote has of its own."""
    for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Where the kernel shares cores out by process session, ours is not to be the residents'.
    os.setsid()


def _take_over(peer: socket.socket) -> bool:
    """Take the client's place, and tell whether it still wants that."""
    peer.settimeout(_PATIENCE)
    request, fds = _receive(peer)
    if not process_tree.stands_outside(trust.peer_pid(peer)):
        # Our own processes would not tell that it stands inside of a session, or of an agent.
        return False
    if request.build != wire.build() or len(fds) != wire.FDS:
        return False
    for fd, own in zip(fds[:3], range(3), strict=True):
        os.dup2(fd, own)
    os.fchdir(fds[3])
    for fd in fds:
        os.close(fd)
    os.umask(request.umask)
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    sys.argv = [request.program]
    peer.sendall(wire.READY)
    return peer.recv(1) == wire.GO


def _receive(peer: socket.socket) -> tuple[wire.Request, list[int]]:
    data, fds, _, _ = socket.recv_fds(peer, 65536, wire.FDS)
    while len(data) < (wire.length(data) or 1 + len(data)):
        more = peer.recv(65536)
        if not more:
            raise EOFError("the client has gone")
        data += more
    return wire.Request(wire.body(data)), fds


def _attach(peer: socket.socket) -> int:
    """Be the front end, and return its exit code, which the client was told."""
    from nagomi_tui import cli
    from nagomi_tui.commands.start import splash

    peer.settimeout(None)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    splash.adopt()
    starter.current = client = _Client(peer)
    client.listen()
    try:
        code = cli.main([])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    sys.stdout.flush()
    sys.stderr.flush()
    peer.sendall(wire.END + bytes([code & 0xFF]))
    return code


class _Client(starter.Starter):
    """The process that the user started, at the other end of the socket."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer
        self._continued = threading.Event()

    def listen(self) -> None:
        """Take in its signals from now on; when it dies, the terminal was hung up."""
        threading.Thread(target=self._listen, name="nagomi-client", daemon=True).start()

    def stop(self) -> None:
        """Have it stop in our place, and return when it goes on."""
        self._continued.clear()
        self._peer.sendall(wire.STOP)
        self._continued.wait()

    def start_anew(self) -> None:
        """Have it run the program again, and end."""
        sys.stdout.flush()
        self._peer.sendall(wire.ANEW)
        os._exit(0)

    def _listen(self) -> None:
        while word := self._hear():
            self._signal(word[0])
        self._signal(signal.SIGHUP)

    def _hear(self) -> bytes:
        try:
            return self._peer.recv(1)
        except OSError:
            return b""

    def _signal(self, number: int) -> None:
        if number in (signal.SIGCONT, signal.SIGHUP):
            self._continued.set()
        if number in _TAKEN:
            os.kill(os.getpid(), number)
