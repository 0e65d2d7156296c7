"""A terminal that shows nothing: a pty whose bytes a test reads, and which it types into."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATIENCE: Final = 30.0


class BareTerminal:
    """One program on a pty of its own, ended with the block."""

    def __init__(
        self, argv: list[str], env: Mapping[str, str], *, cols: int = 100, rows: int = 30
    ) -> None:
        self.pid, self.fd = pty.fork()  # the program, and the terminal's end of the pty
        if self.pid == 0:
            try:
                os.execvpe(argv[0], argv, {"NAGOMI_WELCOME": "0", **env})
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        self.got = b""
        """Everything that arrived."""

    def __enter__(self) -> BareTerminal:
        return self

    def __exit__(self, *_error: object) -> None:
        try:
            os.kill(self.pid, signal.SIGHUP)
            self.read_for(0.2)
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def type(self, data: bytes) -> None:
        """Send what a terminal would send."""
        os.write(self.fd, data)

    def read_for(self, seconds: float) -> bytes:
        """Take in what arrives within some seconds."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and self._take(left):
            pass
        return self.got

    def wait(self, wanted: bytes) -> None:
        """Wait until these bytes have arrived."""
        deadline = time.monotonic() + _PATIENCE
        while wanted not in self.got:
            assert time.monotonic() < deadline, f"it did not happen in time: {self.got[-400:]!r}"
            assert self._take(0.2), f"it has ended: {self.got[-2000:]!r}"

    def _take(self, seconds: float) -> bool:
        """Take in what is there; false when the program has closed its terminal."""
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return False
            self.got += data
            return bool(data)
        return True
