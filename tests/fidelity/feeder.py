"""The child of either terminal: writes what it is sent, and tells when it was taken in.

`SOCKET`: each message is a length of four bytes and as many bytes of output; the answer is the
cursor's place as the terminal reports it (CPR), which comes only after everything was read.
"""

from __future__ import annotations

import os
import re
import select
import socket
import struct
import sys
import time
import tty
from typing import Final

_READY: Final = re.compile(rb"\x1b\[0n")
_PLACE: Final = re.compile(rb"\x1b\[(\d+);(\d+)R")
_SECONDS: Final = 20.0


def _exactly(peer: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = peer.recv(count - len(data))
        if not part:
            sys.exit()
        data += part
    return data


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data[:4096]) :]
        _heard(0)


def _heard(seconds: float) -> bytes:
    return os.read(0, 65536) if select.select([0], [], [], seconds)[0] else b""


def _answer(question: bytes, answer: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """Ask the terminal, and return its answer."""
    os.write(1, question)
    said = b""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        said += _heard(0.2)
        if found := answer.search(said):
            return found
    return None


def _cursor() -> bytes:
    """Return row and column, counted from 1, or zeros when no answer came."""
    # The stream may hold questions too; their answers come before the one to DSR.
    _answer(b"\x18\x1b\\\x1b[5n", _READY)
    found = _answer(b"\x1b[6n", _PLACE)
    return struct.pack("!HH", int(found[1]), int(found[2])) if found else bytes(4)


def main() -> None:
    """Serve one peer until it leaves."""
    tty.setraw(0)
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(sys.argv[1])
    while True:
        (count,) = struct.unpack("!I", _exactly(peer, 4))
        _write(_exactly(peer, count))
        peer.sendall(_cursor())


if __name__ == "__main__":
    main()
