"""Entry point of the hook program: sets a deadline, then decides; a fault denies.

`/bin/sh` runs it for each event of a client (`python -I -S entrance.py ROOTS AGENT EVENT VARIABLE PID`),
with the event as JSON on stdin. The shell accepts only the exit codes below; at any
other one, nothing was decided and the shell itself denies. A signal denies too, such as SIGALRM
at the deadline, which no code here can delay. It imports nothing of nagomi before it knows where that is.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

DECIDED = 100
"""Exit code: what was printed is the answer, if anything was."""
REFUSED = 102
"""Exit code: the tool may not run; what was printed is the reason."""
DEADLINE = 2.0
"""Seconds within which it decides."""
LARGEST = 64 * 1024 * 1024
"""Bytes of the largest event; one that is larger is not decided."""


def main(arguments: Sequence[str]) -> NoReturn:
    """Decide the event on stdin, print the answer, hand the event on, and end."""
    set_deadline()
    hasten()
    roots, *words = arguments
    sys.path.extend(root for root in roots.split(os.pathsep) if root)
    data = read()
    from nagomi_tui.system import strict_door

    if strict_door.is_inside():
        strict_door.ask(words, data)
    agent, event, variable, pid = words
    if event == "PreToolUse" and _passes(data, variable):
        finish(DECIDED, agent, data, int(pid), None)
    from nagomi_tui.guard.hook.program import decide

    answer = decide(agent, event, data, int(pid))
    _write(answer.data)
    finish(REFUSED if answer.refused else DECIDED, agent, data, int(pid), answer.guard)


def decide_for_one_inside(
    agent: str, event: str, pid: int, data: bytes, settle: Callable[[], None]
) -> NoReturn:
    """Decide an event that came from inside a strict session.

    The process id in it is not trusted, as any program of the session may have written it. Where
    that ends an approval, `settle` is called before it is answered.
    """
    from nagomi_tui.guard.hook.program import decide
    from nagomi_tui.system import strict_door

    hasten()
    answer = decide(agent, event, data, 0, inside=pid)
    code = REFUSED if answer.refused else DECIDED
    if answer.lowered:
        set_deadline()
        settle()
    strict_door.answered(code, answer.data)
    finish(code, agent, data, pid, answer.guard)


def _passes(data: bytes, variable: str) -> bool:
    """Tell whether this tool only reads, so that the rest of the guard need not be loaded."""
    from nagomi_tui.guard.hook.quick import passes

    return passes(data, os.environ, variable)


def finish(code: int, agent: str, data: bytes, pid: int, guard: dict[str, Any] | None) -> NoReturn:
    """If the client runs in a nagomi session, send the event to that nagomi; end with `code`."""
    _hand_on_until_late(code)
    try:
        if os.environ.get("NAGOMI_SESSION_ID"):
            import time

            from nagomi_tui.event import hand_on

            hand_on(agent, data, pid, time.time(), guard=guard)
    finally:
        os._exit(code)


def read() -> bytes:
    """Read stdin to its end, so that the client never gets EPIPE.

    Raises:
        ValueError: there is more than any event has.
    """
    parts, size = [], 0
    while part := os.read(0, 1 << 20):
        size += len(part)
        if size <= LARGEST:
            parts.append(part)
    if size > LARGEST:
        raise ValueError("the event is too large")
    return b"".join(parts)


def set_deadline() -> None:
    """Have the kernel end this process at the deadline, by SIGALRM, which Windows lacks."""
    if sys.platform == "win32":
        return
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    signal.setitimer(signal.ITIMER_REAL, DEADLINE)


def hasten() -> None:
    """Skip what costs time and is of no use in a short process.

    That is garbage collection, and two modules that are replaced where they are missing:
    `typing_extensions`, which takes as long as starting Python and which msgspec replaces by the
    standard library, and OpenSSL, which hashlib replaces by its own digests.
    """
    import gc

    gc.disable()
    for name in ("typing_extensions", "_hashlib"):
        sys.modules[name] = None  # type: ignore[assignment]


def _hand_on_until_late(code: int) -> None:
    """Replace the deadline: sending the event on may take 1 s, and then ends with `code` as well."""
    if sys.platform == "win32":
        return
    import signal

    signal.signal(signal.SIGALRM, lambda number, frame: os._exit(code))
    signal.setitimer(signal.ITIMER_REAL, 1.0)


def _write(data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(1, left) :]


if __name__ == "__main__":
    main(sys.argv[1:])
