"""Commands in a strict session: those about its guard, and `nagomi mcp`, are run outside of it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from nagomi_tui.system import strict_door
from nagomi_tui.system.console import complain, tr, write
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    import socket

_READ_BYTES: Final = 1 << 16
_WITH_STDIN: Final = ["guard", "statusline"]


def answered(arguments: Sequence[str]) -> int | None:
    """Return how a command ended that was run outside; None if it is to be run here.

    Raises:
        CommandError: nobody answers outside.
    """
    if not strict_door.is_inside():
        return None
    from nagomi_tui.guard.decide.own_commands import is_answered_outside

    words = list(arguments)
    try:
        if words == ["mcp"]:
            return _pass_tools_on()
        if not is_answered_outside(words):
            return None
        given = sys.stdin.buffer.read() if words[:2] == _WITH_STDIN else b""
        code, out, err = strict_door.result(strict_door.asked([strict_door.COMMAND, *words], given))
    except (OSError, ValueError) as exc:
        sentence = tr("nobody answers outside of this strict session: {reason}.", reason=exc)
        raise CommandError(sentence) from exc
    write(out)
    for line in err.splitlines():
        complain(line.removeprefix("nagomi: "))
    return code


def _pass_tools_on() -> int:
    """Have stdin and stdout served outside, until stdin ends."""
    with strict_door.opened([strict_door.COMMAND, "mcp"]) as peer:
        threading.Thread(target=_give, args=(peer,), daemon=True).start()
        while data := peer.recv(_READ_BYTES):
            left = memoryview(data)
            while left:
                left = left[os.write(1, left) :]
    return int(Exit.OK)


def _give(peer: socket.socket) -> None:
    import socket

    while data := os.read(0, _READ_BYTES):
        peer.sendall(data)
    peer.shutdown(socket.SHUT_WR)
