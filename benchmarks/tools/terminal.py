"""An outer terminal for measuring: a PTY that drains, counts, answers queries and types keys."""

from __future__ import annotations

import fcntl
import os
import pty
import random
import select
import struct
import termios
import time
from dataclasses import dataclass, field

GREEK = [chr(0x3B1 + i).encode() for i in range(24)]
"""What the echo program answers to the keys a to x."""


_HOPELESS = 10
"""So many keys without an answer at the very start are enough."""

_FRAME = b"\x1b[?2026h"
"""What begins a synchronized update: nagomi writes each of its frames as one, tmux none."""


@dataclass
class Echoes:
    """What a run of keys gave: seconds from key to echo, and keys without an answer."""

    seconds: list[float] = field(default_factory=list)
    lost: int = 0
    bytes_out: int = 0
    frames: int = 0
    elapsed: float = 0.0

    def at(self, share: float) -> float:
        """Return the latency in ms that `share` of the keys did not pass."""
        if not self.seconds:
            return float("nan")
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


class OuterTerminal:
    """Runs one program on a PTY as a terminal emulator would."""

    def __init__(
        self, argv: list[str], env: dict[str, str], *, cols: int = 200, rows: int = 60
    ) -> None:
        self.started = time.perf_counter()
        self.first_byte: float | None = None
        self.seen = 0
        self.frames = 0
        self._tail = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(argv[0], argv, {"NAGOMI_WELCOME": "0", **env})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        os.set_blocking(self.fd, False)
        self._poll = select.poll()
        self._poll.register(self.fd, select.POLLIN)

    def read(self, timeout: float) -> bytes:
        """Return what the program printed within `timeout` seconds, or nothing."""
        if not self._poll.poll(max(0.0, timeout) * 1000):
            return b""
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return b""
        except OSError:
            time.sleep(0.01)
            return b""
        if self.first_byte is None:
            self.first_byte = time.perf_counter() - self.started
        self.seen += len(data)
        self._answer(data)
        return data

    def write(self, data: bytes) -> None:
        """Type `data`."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self.fd, view) :]
            except BlockingIOError:
                self.read(0.01)

    def drain(self, seconds: float) -> bytes:
        """Read for `seconds` and return everything."""
        end = time.perf_counter() + seconds
        parts = []
        while (left := end - time.perf_counter()) > 0:
            parts.append(self.read(left))
        return b"".join(parts)

    def until(self, text: bytes, timeout: float) -> bool:
        """Read until `text` was printed; False when it was not within `timeout` seconds."""
        end = time.perf_counter() + timeout
        seen = b""
        while time.perf_counter() < end:
            seen = seen[-4096:] + self.read(end - time.perf_counter())
            if text in seen:
                return True
        return False

    def close(self) -> None:
        """Hang up, and wait for the program to go."""
        os.close(self.fd)
        for _ in range(200):
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return
            time.sleep(0.01)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)

    def _reply(self, data: bytes) -> None:
        os.write(self.fd, data)

    def _answer(self, data: bytes) -> None:
        """Answer what a modern terminal answers; queries split over reads are found too."""
        text = self._tail + data
        fresh = len(self._tail)
        self.frames += text.count(_FRAME) - self._tail.count(_FRAME)
        replies = {
            b"\x1b[?2026$p": b"\x1b[?2026;2$y",
            b"\x1b[5n": b"\x1b[0n",
            b"\x1b[c": b"\x1b[?62;22c",
            b"\x1b[?u": b"\x1b[?0u",
        }
        for query, reply in replies.items():
            at = text.find(query)
            while at >= 0:
                if at + len(query) > fresh:
                    self._reply(reply)
                at = text.find(query, at + 1)
        self._tail = text[-12:]


def type_keys(
    terminal: OuterTerminal, count: int, *, pause: float = 0.02, give_up: float = 2.0
) -> Echoes:
    """Type `count` keys one after the other and time each echo."""
    dice = random.Random(7)
    result = Echoes()
    began, bytes_before, frames_before = time.perf_counter(), terminal.seen, terminal.frames
    for number in range(count):
        letter = number % 24
        terminal.drain(pause + dice.random() * pause)
        sent = time.perf_counter()
        terminal.write(bytes([97 + letter]))
        tail = b""
        while time.perf_counter() - sent < give_up:
            data = tail + terminal.read(give_up)
            if GREEK[letter] in data:
                result.seconds.append(time.perf_counter() - sent)
                break
            tail = data[-1:]
        else:
            result.lost += 1
            if result.lost == _HOPELESS and not result.seconds:
                break
    result.elapsed = time.perf_counter() - began
    result.bytes_out = terminal.seen - bytes_before
    result.frames = terminal.frames - frames_before
    return result
