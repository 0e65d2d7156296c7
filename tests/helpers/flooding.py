"""A program that says everything a terminal can be told beside its drawing, as fast as wanted."""

from __future__ import annotations

import base64
import os
import shlex
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS: dict[str, Callable[[int], str]] = {
    "title": lambda n: f"\x1b]0;title {n}\x07",
    "status": lambda n: f"\x1b]7501;status=working;n={n}\x07",
    "progress": lambda n: f"\x1b]9;4;{n % 2 * 3};{n % 100}\x07",
    "notify": lambda n: f"\x1b]777;notify;T;note {n}\x07",
    "bell": lambda n: "\x07",
    "clipboard": lambda n: f"\x1b]52;c;{base64.b64encode(b'copy %d' % n).decode()}\x07",
    "command": lambda n: (
        f"\x1b]133;A\x07$ \x1b]133;B\x07x\x1b]133;C\x07o\r\n\x1b]133;D;{n % 2}\x07"
    ),
    "cwd": lambda n: f"\x1b]7;file:///tmp/{n}\x07",
    "link": lambda n: f"\x1b]8;;http://x.example/{n}\x1b\\L{n} \x1b]8;;\x1b\\",
    "paste": lambda n: "\x1b[?2004h\x1b[?2004l",
}


def command(kind: str, seconds: float, rate: int = 1500) -> str:
    """Return the command line of a flood of one kind, or of all in turn (`mixed`).

    It begins when a line is entered, and says at its end what was the last.
    """
    program = shlex.join([sys.executable, os.path.abspath(__file__), kind, str(seconds), str(rate)])
    return f"read go; exec {program}"


def flood(kind: str, seconds: float, rate: int) -> int:
    """Say it; return how often."""
    kinds = list(KINDS.values()) if kind == "mixed" else [KINDS[kind]]
    began, number = time.monotonic(), 0
    while (gone := time.monotonic() - began) < seconds:
        while number < gone * rate:
            number += 1
            os.write(1, kinds[number % len(kinds)](number).encode())
        time.sleep(0.0005)
    return number


if __name__ == "__main__":
    last = flood(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
    print(f"\x1b]0;the last of {last}\x07\r\nover {last}", flush=True)
    time.sleep(1000)
