"""In strict mode, has hooks and commands of nagomi answered outside the session's namespaces.

Inside, the guard's state cannot be written. So the hook program and `nagomi` connect to a socket of
the worker's, and the worker starts `nagomi_tui/outside.py`, which decides, outside. Any program of
the session can connect there, so nothing that comes this way can elevate.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence
    from typing import NoReturn

DOOR = "NAGOMI_GUARD_DOOR"
"""Environment variable with the path of the worker's socket, set inside a strict session."""
OUTSIDE = "NAGOMI_GUARD_OUTSIDE"
"""Environment variable by which the hook program knows that it decides for a strict session."""
FRONT = "front"
"""What is asked for to have messages handed on to the orchestrator."""
COMMAND = "nagomi"
"""What stands before the arguments of a command that is to run outside."""


def ask(words: Sequence[str], data: bytes) -> NoReturn:
    """Have an event decided outside, print the answer, and end with the same exit code.

    Raises:
        OSError: nobody listens at the socket.
        ValueError: the answer does not begin with an exit code.
    """
    code, _, text = asked(words, data).partition(b"\n")
    number = int(code)
    _write(text)
    os._exit(number)


def asked(words: Sequence[str], data: bytes) -> bytes:
    """Ask outside, and return the whole answer.

    Raises:
        OSError: nobody listens at the socket.
    """
    import socket

    with opened(words) as door:
        door.sendall(data)
        door.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: door.recv(1 << 16), b""))


def opened(words: Sequence[str]) -> socket.socket:
    """Return a connection that has asked for something outside.

    Raises:
        OSError: nobody listens at the socket.
    """
    if sys.platform == "win32":
        raise OSError("there are no Unix sockets on native Windows")
    import json
    import socket

    door = socket.socket(socket.AF_UNIX)
    try:
        door.connect(os.environ[DOOR])
        door.sendall(json.dumps(list(words)).encode() + b"\n")
    except BaseException:
        door.close()
        raise
    return door


def is_inside() -> bool:
    """Tell whether this program runs in a strict session."""
    return bool(os.environ.get(DOOR))


def words_in(line: bytes) -> list[str]:
    """Return the words that a program inside began with.

    Raises:
        ValueError: the line is not a JSON list of strings.
    """
    import json

    words = json.loads(line)
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        raise ValueError("that is no question of a strict session")
    return words


def tell_result(code: int, out: str, err: str) -> None:
    """Answer a command: how it ended, and what it printed."""
    import json

    _write(json.dumps([code, out, err]).encode())


def result(data: bytes) -> tuple[int, str, str]:
    """Return what a command was answered.

    Raises:
        ValueError: nothing was answered.
    """
    import json

    code, out, err = json.loads(data)
    return int(code), str(out), str(err)


def answered(code: int, data: bytes) -> None:
    """Write the answer to stdout and close it, so that the client need not wait for the rest."""
    _write(f"{code}\n".encode() + data)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)


def _write(data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(1, left) :]
