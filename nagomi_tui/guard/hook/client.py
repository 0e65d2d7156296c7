"""Tells whether the user started a client (the process that runs a hook), or another agent did.

An agent could start a second client and put the trigger phrase into its prompt. Such a client has
no terminal, has the environment variables that clients set for their children, or has a client
among its ancestors; a client started by the user has a terminal and neither of the others.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Final

import msgspec

from nagomi_tui.agents.registry import CHILD_MARKS, GUARDED
from nagomi_tui.system.platforms import LINUX, WINDOWS
from nagomi_worker.runtime.proc import read_stat

_LAUNCHERS: Final = frozenset(["node", "nodejs", "bun", "deno", "npx", "npm"])
"""Programs that start a client for the user and remain its parent, as with `npx codex`."""
_WORKER: Final = "nagomi_worker"
_WORDS: Final = 6
"""Number of leading words of a command line in which the name of the worker is looked for."""
_FARTHEST: Final = 64
"""Most ancestors that are looked at."""


class SessionStart(msgspec.Struct, frozen=True):
    """What a worker started, or adopted as an orphan of its sessions."""

    pid: int
    named: str
    """Id of the session that its environment tells; empty if none."""


class Process(msgspec.Struct, frozen=True):
    """A process, as read once from the system."""

    parent: int
    program: str
    """File name of its program."""
    words: tuple[str, ...]
    """Its command line."""
    has_terminal: bool


def environment(pid: int) -> dict[str, str]:
    """Return the environment variables that a process was started with; empty if unreadable."""
    try:
        if LINUX:
            with open(f"/proc/{pid}/environ", "rb") as file:
                lines = os.fsdecode(file.read()).split("\0")
            return dict(line.split("=", 1) for line in lines if "=" in line)
        import psutil

        return psutil.Process(pid).environ()
    except (OSError, ValueError, ImportError, RuntimeError):
        return {}
    except Exception:  # psutil's own, which do not share a base with the system's.
        return {}


def started_by_agent(pid: int) -> str:
    """Return the sign that an agent started this client, for the user to read; empty if none."""
    if mark := next((mark for mark in environment(pid) if mark in CHILD_MARKS), ""):
        return f"{mark} is set"
    client = look(pid)
    for number, ancestor in enumerate(_ancestors(client) if client else ()):
        if is_client(ancestor) and not (number == 0 and ancestor.program in _LAUNCHERS):
            return f"it runs below {ancestor.program}"
    return ""


def session_start(pid: int) -> SessionStart | None:
    """Return how the nagomi session that a client runs in began; None outside of any session."""
    process = look(pid)
    for _ in range(_FARTHEST):
        if process is None or process.parent <= 0:
            return None
        above = look(process.parent)
        if above is not None and _WORKER in above.words[:_WORDS]:
            return SessionStart(pid, environment(pid).get("NAGOMI_SESSION_ID", ""))
        pid, process = process.parent, above
    return None


def runs_hook(pid: int) -> bool:
    """Tell whether a process is this one or the nearest client above it.

    Whoever calls the hook chooses the number that it is given, which may be of any process.
    """
    here, process = os.getpid(), look(os.getpid())
    for _ in range(_FARTHEST):
        if here == pid or process is None or process.parent <= 0:
            return here == pid
        if is_client(process):
            return False
        here, process = process.parent, look(process.parent)
    return False


def has_terminal(pid: int) -> bool:
    """Tell whether a process has a controlling terminal."""
    found = look(pid)
    return found is not None and found.has_terminal


def is_client(process: Process) -> bool:
    """Tell whether a process is a client that the guard has hooks for."""
    names = {process.program, *(os.path.basename(word) for word in process.words[:2])}
    return any(name.removesuffix(".js").removesuffix(".exe") in GUARDED for name in names)


def look(pid: int) -> Process | None:
    """Read a process; None if it has ended or belongs to another user."""
    try:
        return _linux(pid) if LINUX else _elsewhere(pid)
    except (OSError, ValueError):
        return None


def _ancestors(process: Process) -> Iterator[Process]:
    for _ in range(_FARTHEST):
        found = look(process.parent) if process.parent > 0 else None
        if found is None:
            return
        yield found
        process = found


def _linux(pid: int) -> Process:
    found = read_stat(pid)
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        words = tuple(os.fsdecode(file.read()).rstrip("\0").split("\0"))
    program = found.name
    with contextlib.suppress(OSError):  # Of another user's process the name has to do.
        program = os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
    return Process(found.parent, program, words, found.terminal != 0)


def _elsewhere(pid: int) -> Process | None:
    if WINDOWS:
        return None  # No process there has a terminal that could be asked for.
    import psutil

    try:
        found = psutil.Process(pid)
        return Process(
            found.ppid(), found.name(), tuple(found.cmdline()), found.terminal() is not None
        )
    except psutil.Error:
        return None
