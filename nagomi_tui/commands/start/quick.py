"""`nagomi ls`, `next`, `why` and `--help` with next to nothing loaded, since they are asked often.

The orchestrator puts together what they print. Whatever is out of the ordinary (none runs, it is of
another version, it refuses, a strict session, other arguments) is left to `nagomi_tui/cli.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from nagomi_tui.system.environment import terminal_width
from nagomi_tui.system.platforms import WINDOWS

TYPE_CHECKING = False

_SECONDS = 5.0
_WANTS_SESSION = {"ls": False, "next": False, "why": True}
_LEFT_TO_OTHERS = ("_ARGCOMPLETE", "NAGOMI_GUARD_DOOR", "NAGOMI_DEBUG")
"""Variables with which a command does more than this."""
_TOLD = ("HOME", "SSH_AUTH_SOCK", "NAGOMI_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
"""What the orchestrator has to know of our environment."""


def answered(arguments: Sequence[str]) -> int | None:
    """Print what a command prints, and return its exit code; None if it is to be run as others are."""
    if WINDOWS or sys.stdout is None or any(os.environ.get(name) for name in _LEFT_TO_OTHERS):
        return None
    try:
        if arguments in (["--help"], ["-h"]):
            from nagomi_tui.commands.start import overview

            return _printed(overview.text(terminal_width()), 0)
        asked = _request(arguments)
        return None if asked is None else _printed(*_asked(asked))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _request(arguments: Sequence[str]) -> dict[str, object] | None:
    """Return the request for what this command prints, if it is one of those."""
    command, *rest = arguments or [""]
    if command not in _WANTS_SESSION:
        return None
    as_json = "--json" in rest
    if as_json:
        rest.remove("--json")
    if len(rest) != _WANTS_SESSION[command] or any(one.startswith("-") for one in rest):
        return None
    session = rest[0] if rest else ""
    return {
        "type": "print",
        "id": 1,
        "command": command,
        "session": os.environ["NAGOMI_SESSION_ID"] if session == "." else session,
        "json": as_json,
        "width": terminal_width() if os.isatty(1) else 0,
    }


def _asked(request: dict[str, object]) -> tuple[str, int]:
    """Return what is to be printed, and the exit code.

    Raises:
        OSError: nobody of ours answers in time.
        LookupError, ValueError: it is not answered.
    """
    import json

    from nagomi_tui import __version__
    from nagomi_tui.system import folders
    from nagomi_worker.wire import trust

    hello = {
        "type": "hello",
        "version": __version__,
        "env": {name: os.environ[name] for name in _TOLD if name in os.environ},
    }
    lines = "".join(f"{json.dumps(one)}\n" for one in (hello, request)).encode()
    with trust.connect(os.path.join(folders.recorded()[0], "front"), _SECONDS) as peer:
        peer.sendall(lines)
        with peer.makefile("rb") as answers:
            for line in answers:
                if not line.startswith(b'{"type":"welcome"'):
                    answer = json.loads(line)
                    if answer.get("id") == request["id"]:
                        result = answer["result"]
                        return result["text"], result["code"]
    raise ValueError("the connection ended before the answer")


def _printed(text: str, code: int) -> int:
    """Print text; characters that the encoding of stdout lacks are replaced."""
    out = sys.stdout
    encoding = out.encoding or "utf-8"
    out.write(text.encode(encoding, "replace").decode(encoding, "replace"))
    out.flush()
    return code
