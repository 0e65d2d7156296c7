"""`nagomi hook EVENT [AGENT]`: the hook program, for hooks that users write themselves."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from nagomi_tui.guard.hook.entrance import finish, read, set_deadline
from nagomi_tui.guard.hook.program import GUARDED, decide, failed


def main(event: str, agent: str) -> NoReturn:
    """Decide the event on stdin, taking the parent process for the client; end with code 0 or 2."""
    agent = agent if agent in GUARDED else next(iter(GUARDED))
    try:
        set_deadline()
        data, pid = read(), os.getppid()
    except Exception as exc:
        data, pid, answer = b"", 0, failed(agent, event, exc)
    else:
        answer = decide(agent, event, data, pid)
    denied = answer.guard.get("denied", "") if event == "PreToolUse" else ""
    for fd, told in ((1, b"" if answer.refused else answer.data), (2, denied.encode())):
        with open(fd, "wb", closefd=False) as out:
            out.write(told)
    sys.stdout = None  # Nothing else may follow it.
    finish(2 if denied else 0, agent, data, pid, answer.guard)
