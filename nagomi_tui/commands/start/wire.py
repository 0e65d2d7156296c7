"""What passes between the zygote and the process that the user started.

The client sends a request and, with it, its terminal and its folder as file descriptors. The child
answers READY; only after GO it touches the terminal, so that a client which has lost patience may
open the workplace itself. From then on the client sends the numbers of signals, one byte each, and
the child says what it wants of the process that the user started.
"""

from __future__ import annotations

import os
import sys

import nagomi_tui
from nagomi_tui import __version__

READY = b"r"
GO = b"\0"
STOP = b"z"
"""The user's shell is to have the terminal; a SIGCONT brings us back."""
ANEW = b"a"
"""Run the program again: it may be a newer one."""
END = b"x"
"""The exit code follows, one byte."""

FDS = 4
"""Standard input, output and error, and the working directory."""
_LENGTH_BYTES = 4
MOST_BYTES = 4 * 1024 * 1024
"""More than any environment that a process can be given."""
_FIXED = ("PYTHON", "TEXTUAL", "ESCDELAY", "WCWIDTH")
"""Prefixes of variables that are read while modules are loaded."""
_FREE = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")


def build() -> str:
    """Return what cannot be changed any more once the modules are loaded."""
    package = os.path.dirname(os.path.abspath(nagomi_tui.__file__))
    flags = (sys.flags.optimize, sys.flags.dev_mode, sys.flags.utf8_mode, sys.flags.verbose)
    encodings = (sys.getfilesystemencoding(), getattr(sys.stdout, "encoding", ""))
    fixed = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith(_FIXED) and name not in _FREE
    )
    told = (__version__, sys.version, sys.prefix, package, flags, encodings, sys._xoptions)
    return repr((*told, sys.warnoptions, fixed))


def request(umask: int) -> bytes:
    """Return what is asked by this process."""
    fields = [os.fsencode(build()), str(umask).encode(), os.fsencode(sys.argv[0])]
    fields += [os.fsencode(f"{name}={value}") for name, value in os.environ.items()]
    body = b"\0".join(fields)
    return len(body).to_bytes(_LENGTH_BYTES, "big") + body


class Request:
    """A request as the zygote's child reads it."""

    def __init__(self, body: bytes) -> None:
        build, umask, program, *variables = body.split(b"\0")
        self.build = os.fsdecode(build)
        self.umask = int(umask)
        self.program = os.fsdecode(program)
        self.env = dict(os.fsdecode(variable).split("=", 1) for variable in variables)


def length(data: bytes) -> int:
    """Return how long a request is that begins like this, its head included; 0: not known yet.

    Raises:
        ValueError: it is longer than any could be.
    """
    if len(data) < _LENGTH_BYTES:
        return 0
    found = int.from_bytes(data[:_LENGTH_BYTES], "big")
    if found > MOST_BYTES:
        raise ValueError(f"a request of {found} bytes")
    return _LENGTH_BYTES + found


def body(data: bytes) -> bytes:
    """Return a whole request without its head."""
    return data[_LENGTH_BYTES:]
