"""The process that the user started: lends its terminal to a child of the zygote, and waits for it.

It imports as little as possible.
"""

from __future__ import annotations

import os
import socket
import sys

from nagomi_tui.commands.start import wire
from nagomi_tui.system import folders
from nagomi_tui.system.environment import wants_zygote
from nagomi_tui.system.platforms import LINUX
from nagomi_worker.wire import trust

assert LINUX

_PATIENCE = 1.0
"""Seconds for the zygote's child to answer READY."""
_ENDING = ("HUP", "INT", "TERM")
_KILLED = 128
"""Plus the signal's number: the exit code of a process that a signal has ended."""


def attach() -> int | None:
    """Open the workplace by the zygote, and return the exit code when its user has left it.

    None says that the terminal is untouched, and the front end must start in this process.
    """
    if not _is_possible():
        return None
    try:
        peer = trust.connect(folders.zygote_socket(), _PATIENCE)
    except OSError:
        return None
    with peer:
        try:
            _ask(peer)
            waiting = _Waiting(peer)
            if peer.recv(1) != wire.READY:
                return None
            peer.settimeout(None)
        except OSError:
            return None
        return waiting.run()


def _is_possible() -> bool:
    """Tell whether there may be a zygote, and whether the terminal is ours to hand over."""
    if not wants_zygote():
        return False
    try:
        # In the background we are to be stopped as soon as we touch the terminal.
        return os.isatty(0) and os.isatty(1) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _ask(peer: socket.socket) -> None:
    """Send the request with our terminal, and the folder we are in."""
    os.umask(umask := os.umask(0o077))
    request = wire.request(umask)
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        sent = socket.send_fds(peer, [request], [0, 1, 2, folder])
        peer.sendall(request[sent:])
    finally:
        os.close(folder)


class _Waiting:
    """Hands signals on until the child has ended."""

    def __init__(self, peer: socket.socket) -> None:
        # Loaded here, while the child comes up.
        import signal
        import termios

        self._peer = peer
        self._signals = signal
        self._termios = termios
        self._modes = termios.tcgetattr(0)
        self._ended_by = 0
        """The last signal that was to end the child."""

    def run(self) -> int:
        """Let the child begin, and return its exit code."""
        self._own_signals()
        try:
            self._peer.sendall(wire.GO)
            while word := self._peer.recv(1):
                if word == wire.END:
                    return self._peer.recv(1)[0]
                self._do(word)
        except (OSError, IndexError):
            pass  # it was killed, perhaps within its last word
        self._give_terminal_back()
        return self._farewell()

    def _own_signals(self) -> None:
        for name in ("WINCH", "CONT", "TSTP", *_ENDING):
            self._signals.signal(getattr(self._signals, f"SIG{name}"), self._hand_on)

    def _hand_on(self, number: int, frame: object) -> None:
        if self._signals.Signals(number).name[3:] in _ENDING:
            self._ended_by = number
        try:  # noqa: SIM105, since contextlib takes its time to load
            self._peer.send(bytes([number]))
        except OSError:
            pass  # it has ended, as we are about to hear

    def _do(self, word: bytes) -> None:
        if word == wire.STOP:
            os.kill(os.getpid(), self._signals.SIGSTOP)
        elif word == wire.ANEW:
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])

    def _give_terminal_back(self) -> None:
        """Do what the child could not do any more."""
        from nagomi_tui.view.driver import modes

        try:
            for fd in (0, 1, 2):
                os.set_blocking(fd, True)
            os.write(1, modes.leave(mouse=True).encode())
            self._termios.tcflush(0, self._termios.TCIFLUSH)
            self._termios.tcsetattr(0, self._termios.TCSANOW, self._modes)
        except (OSError, self._termios.error):
            pass  # the terminal is gone too

    def _farewell(self) -> int:
        """Say what has happened, unless the user wanted it, and return the exit code."""
        from nagomi_tui.system.console import complain, program, tr

        if self._ended_by:
            return _KILLED + self._ended_by
        complain(
            tr(
                "the front end was killed; everything runs on, and `{program}` brings you back.",
                program=program(),
            )
        )
        return 1
