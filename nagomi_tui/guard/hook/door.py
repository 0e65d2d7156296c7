"""In strict mode, passes a hook's event to a hook program outside the session's namespaces.

Inside, the guard's state cannot be written. So the hook program connects to a socket of the
worker's, and the worker starts the hook program a second time, outside, to decide. Any program
of the session can connect there, so no event that comes this way can elevate.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

DOOR = "NAGOMI_GUARD_DOOR"
"""Environment variable with the path of the worker's socket, set inside a strict session."""
OUTSIDE = "NAGOMI_GUARD_OUTSIDE"
"""Environment variable by which the hook program knows that it decides for a strict session."""
WORD = "outside"
"""The only argument of the hook program that the worker starts outside."""


def ask(words: Sequence[str], data: bytes) -> NoReturn:
    """Have an event decided outside, print the answer, and end with the same exit code.

    Raises:
        OSError: nobody listens at the socket.
        ValueError: the answer does not begin with an exit code.
    """
    if sys.platform == "win32":
        raise OSError("there are no Unix sockets on native Windows")
    import json
    import socket

    with socket.socket(socket.AF_UNIX) as door:
        door.connect(os.environ[DOOR])
        door.sendall(json.dumps(list(words)).encode() + b"\n" + data)
        door.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: door.recv(1 << 16), b""))
    code, _, text = answer.partition(b"\n")
    number = int(code)
    left = memoryview(text)
    while left:
        left = left[os.write(1, left) :]
    os._exit(number)


def asked(data: bytes) -> tuple[list[str], bytes]:
    """Split a request from inside into the hook's arguments and its event.

    Raises:
        ValueError: the first line is not a JSON list of strings.
    """
    import json

    head, _, event = data.partition(b"\n")
    words = json.loads(head)
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        raise ValueError("that is no question of a hook")
    return words, event


def answered(code: int, data: bytes) -> None:
    """Write the answer to stdout and close it, so that the client need not wait for the rest."""
    left = memoryview(f"{code}\n".encode() + data)
    while left:
        left = left[os.write(1, left) :]
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
