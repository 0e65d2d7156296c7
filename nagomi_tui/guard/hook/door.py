"""In strict mode a hook is decided outside: inside, nothing of the guard's can be written.

The hook program asks at the worker's socket, and the same program, started there by the worker,
answers. Whoever asks may be any program of the session, so that nothing asked there elevates.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

DOOR = "NAGOMI_GUARD_DOOR"
"""The variable that names the worker's socket inside of a strict session."""
OUTSIDE = "NAGOMI_GUARD_OUTSIDE"
"""The variable that says to the program that it decides for one inside."""
WORD = "outside"
"""The argument by which it is started for that."""


def ask(words: Sequence[str], data: bytes) -> NoReturn:
    """Have an event decided outside, print the answer, and end as that program did.

    Raises:
        OSError: nobody answers there.
        ValueError: what was answered is no answer.
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
    """Return the words and the event that somebody inside asks about.

    Raises:
        ValueError: it is neither.
    """
    import json

    head, _, event = data.partition(b"\n")
    words = json.loads(head)
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        raise ValueError("that is no question of a hook")
    return words, event


def answered(code: int, data: bytes) -> None:
    """Answer whoever is on stdout, and let them go on while the rest is done."""
    left = memoryview(f"{code}\n".encode() + data)
    while left:
        left = left[os.write(1, left) :]
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
