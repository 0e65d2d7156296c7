"""Stands between esctest2 and its session's terminal, and answers what nagomi does not.

A session's command: everything goes through as it is, but for checksums of the screen and for
window operations that nobody answered. `CHECKOUT LOG INCLUDE` as `esctest_child` takes them.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
import tty
from typing import Final

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.api.client import Connection, open_socket

_REQUEST: Final = re.compile(rb"(?:\x1b\[|\x9b)([\d;]*)(\*y|t)")
_PARTIAL: Final = re.compile(rb"(?:\x1b|\x9b)\[?[\d;]*\*?\Z")
_SYNC, _SYNCED = b"\x1b[5n", b"\x1b[0n"
_SCREEN: Final = (60, 200)
"""Rows and columns of the whole display, as a window manager would have it."""


class Between:
    """Passes bytes both ways between a child's terminal and our own."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._session = os.environ["NAGOMI_SESSION_ID"]
        hello = messages.Hello(version=__version__, front_end=True, cols=200, rows=60)
        self._link = Connection(open_socket(), hello=hello)
        self._held = b""
        self._cells: list[list[int]] | None = None

    def run(self) -> None:
        """Return when the child has ended."""
        while True:
            ready, _, _ = select.select([0, self._child], [], [], 0.05 if self._held else None)
            if 0 in ready:
                _write(self._child, os.read(0, 65536))
            if self._child in ready:
                try:
                    data = os.read(self._child, 65536)
                except OSError:
                    return
                self._pass(self._held + data)
            elif not ready:
                self._out(self._held)
                self._held = b""

    def _pass(self, data: bytes) -> None:
        """Write what the child printed, and answer the requests in it at their places."""
        done = 0
        for found in _REQUEST.finditer(data):
            numbers = [int(part or 0) for part in found[1].split(b";")]
            if found[2] == b"t":
                self._out(data[done : found.end()])
                self._window(numbers)
            else:
                self._out(data[done : found.start()])
                self._checksum(numbers)
            done = found.end()
        rest = data[done:]
        partial = _PARTIAL.search(rest)
        self._held = rest[partial.start() :] if partial else b""
        self._out(rest[: len(rest) - len(self._held)])

    def _out(self, data: bytes) -> None:
        if data:
            self._cells = None
            _write(1, data)

    def _settle(self) -> bytes:
        """Return what the session answered once it has taken in everything written so far."""
        _write(1, _SYNC)
        said = b""
        deadline = time.monotonic() + 3.0
        while _SYNCED not in said and time.monotonic() < deadline:
            if select.select([0], [], [], 0.1)[0]:
                said += os.read(0, 65536)
        return said.replace(_SYNCED, b"", 1)

    def _checksum(self, numbers: list[int]) -> None:
        """Answer DECRQCRA: the sum of the characters in a rectangle; a blank counts as a space."""
        if self._cells is None:
            _write(self._child, self._settle())
            self._cells = self._read()
        cols, rows = _size(0)
        name, _, top, left, bottom, right = (numbers + [0] * 6)[:6]
        total = sum(
            self._at(y, x)
            for y in range(max(top, 1) - 1, bottom or rows)
            for x in range(max(left, 1) - 1, right or cols)
        )
        _write(self._child, b"\x1bP%d!~%04X\x1b\\" % (name, total & 0xFFFF))

    def _at(self, y: int, x: int) -> int:
        cells = self._cells or []
        return cells[y][x] if y < len(cells) and x < len(cells[y]) else 32

    def _read(self) -> list[list[int]]:
        """Return the code of each cell of the screen, as the orchestrator has it."""
        bounds = self._link.request(
            messages.Lines(id=0, session=self._session, start=0, stop=0), timeout=10
        )
        top = bounds.screen_line
        asked = messages.Lines(id=0, session=self._session, start=top, stop=top + 200)
        rows = self._link.request(asked, timeout=10).rows
        return [[code for text, unit in runs for code in _codes(text, unit)] for _, runs in rows]

    def _window(self, numbers: list[int]) -> None:
        """Answer a window operation where the session did not."""
        said = self._settle()
        if numbers[0] == 8:
            cols, rows = _size(0)
            height, width = (numbers[1:] + [0, 0])[:2]
            self._resize(width or cols, height or rows)
        elif not said:
            said = {
                11: b"\x1b[1t",
                13: b"\x1b[3;0;0t",
                15: b"\x1b[5;%d;%dt" % (_SCREEN[0] * 16, _SCREEN[1] * 8),
                19: b"\x1b[9;%d;%dt" % _SCREEN,
            }.get(numbers[0], b"")
        _write(self._child, said)

    def _resize(self, cols: int, rows: int) -> None:
        """Zoom the session to a view of that size, as a front end would, and follow it."""
        if (cols, rows) != _size(0):
            view = messages.View(
                view=1, session=self._session, cols=cols, rows=rows, own_size=True, fps=1
            )
            self._link.send(view)
            deadline = time.monotonic() + 2.0
            while _size(0) != (cols, rows) and time.monotonic() < deadline:
                time.sleep(0.005)
            self._link.send(messages.Unview(view=1))
            self._cells = None
        _resize(self._child, *_size(0))


def _codes(text: str, unit: int) -> list[int]:
    """Return a code for each cell of a run; a cluster is one character of `-unit` cells."""
    if unit < 0:
        return [ord(text[0]), *[32] * (-unit - 1)]
    return [code for char in text for code in (ord(char), *[32] * (unit - 1))]


def _size(fd: int) -> tuple[int, int]:
    rows, cols, _, _ = struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))
    return cols, rows


def _resize(fd: int, cols: int, rows: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def main() -> None:
    """Run esctest2 in a terminal of its own, joined to ours."""
    tty.setraw(0)
    pid, child = pty.fork()
    if pid == 0:
        command = [sys.executable, "-m", "tests.fidelity.esctest_child", *sys.argv[1:]]
        os.execv(sys.executable, command)
    _resize(child, *_size(0))
    Between(child).run()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


if __name__ == "__main__":
    main()
