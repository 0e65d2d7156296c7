"""Answers one program of a strict session, outside of that session's namespaces.

`python -I -S outside.py ROOTS` has the connection as stdin and stdout. Its first line is a JSON list
of words that says what is asked: an event of a hook, a command about the guard, `nagomi mcp`, or to
hand on what reads sessions. Any program of the session may ask, so that nothing here elevates.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_LONGEST = 1 << 20
"""Bytes of the longest first line."""
_COMMAND_SECONDS = 20.0
_SETTLE_SECONDS = 1.5
"""Less than a hook's own deadline."""


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer what stands on stdin, and end."""
    sys.path.extend(root for root in arguments[0].split(os.pathsep) if root)
    from nagomi_tui.guard.hook import entrance
    from nagomi_tui.system import strict_door

    entrance.set_deadline()
    os.environ.pop(strict_door.DOOR, None)
    os.environ[strict_door.OUTSIDE] = "1"
    words = strict_door.words_in(_first_line())
    match words:
        case [strict_door.FRONT]:
            _hand_on()
        case [strict_door.COMMAND, "mcp"]:
            _serve_tools()
        case [strict_door.COMMAND, *command]:
            _run(command)
        case [agent, event, _, pid]:
            entrance.decide_for_one_inside(agent, event, int(pid), entrance.read(), _settle)
    os._exit(1)


def _first_line() -> bytes:
    """Read to the end of the first line, and nothing behind it."""
    found = bytearray()
    while not found.endswith(b"\n") and len(found) < _LONGEST:
        byte = os.read(0, 1)
        if not byte:
            break
        found += byte
    return bytes(found)


def _hand_on() -> NoReturn:
    from nagomi_tui.api.relay import hand_on

    _set_seconds(0)
    try:
        hand_on(os.environ.get("NAGOMI_SESSION_ID", ""))
    finally:
        os._exit(0)


def _serve_tools() -> NoReturn:
    from argparse import Namespace

    from nagomi_tui.commands import agent as mcp
    from nagomi_tui.guard.files.project import find

    _set_seconds(0)
    os.chdir(find(os.getcwd(), os.environ).root)
    try:
        mcp.serve(Namespace())
    finally:
        os._exit(0)


def _run(command: list[str]) -> NoReturn:
    """Run a command of ours with the rest of stdin as its own, and tell how it ended."""
    import contextlib
    import io

    from nagomi_tui import cli
    from nagomi_tui.guard.decide.own_commands import is_answered_outside
    from nagomi_tui.guard.hook import entrance
    from nagomi_tui.system import strict_door

    _set_seconds(_COMMAND_SECONDS)
    out, err = io.StringIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(entrance.read()), errors="replace")
    code = 2
    if is_answered_outside(command):
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(command)
    strict_door.tell_result(code, out.getvalue(), err.getvalue())
    os._exit(0)


def _settle() -> None:
    """Wait until no strict session of this one's project can write to it, for a moment at most."""
    import contextlib

    from nagomi_tui.api.client import Connection, RequestFailed, open_socket
    from nagomi_tui.api.messages import GuardDiscuss, hello

    with contextlib.suppress(OSError, RequestFailed, TimeoutError):
        connection = Connection(open_socket(), hello=hello({}))
        discuss = GuardDiscuss(id=0, session=os.environ.get("NAGOMI_SESSION_ID", ""))
        connection.request(discuss, timeout=_SETTLE_SECONDS)


def _set_seconds(seconds: float) -> None:
    """Have the kernel end this process after another time; 0 for never."""
    if sys.platform != "win32":
        import signal

        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main(sys.argv[1:])
