"""Tells whether the user started a client (the process that runs a hook), and typed the prompt that it sends.

An agent could start a second client and put the trigger phrase into its prompt. Such a client has
no terminal, has the environment variables that clients set for their children, or has a client
among its ancestors; a client started by the user has a terminal and neither of the others.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from nagomi_tui.agents.registry import CHILD_MARKS, GUARDED
from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.documents import Config
from nagomi_tui.guard.decide.prompt import meaning
from nagomi_tui.system.platforms import LINUX, WINDOWS
from nagomi_tui.system.strict_door import OUTSIDE
from nagomi_worker.runtime.proc import read_stat

_LAUNCHERS: Final = frozenset(["node", "nodejs", "bun", "deno", "npx", "npm"])
"""Programs that start a client for the user and remain its parent, as with `npx codex`."""
_WORKER: Final = "nagomi_worker"
_WORDS: Final = 6
"""Number of leading words of a command line in which the name of the worker is looked for."""
_FARTHEST: Final = 64
"""Most ancestors that are looked at."""
_ASK_SECONDS: Final = 0.7
_WRITTEN_BY: Final = frozenset([None, "user", "sdk"])
"""Values of `source` for prompts typed by the user; older clients send none (DB-6)."""
_WRAPPED: Final = re.compile(r"\s*<([a-z][\w-]*)\b[^>]*>.*</\1>\s*", re.DOTALL)
"""A text that is a single XML element, such as `<task-notification>`: clients send these."""
_OWN: Final = (
    "<task-notification", "<teammate-message", "<channel", "<system-reminder", "<cross-session",
)  # fmt: skip
"""How prompts begin that a client writes itself."""


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


# --- prompts


def why_not_typed(text: str, source: str | None, client: int, config: Config) -> str:
    """Return why a prompt does not count as typed by the user; empty if it does, or is a stop."""
    if meaning(text, config) == "stop":
        return ""
    if os.environ.get(OUTSIDE):
        return "in strict mode you approve in nagomi, by its keys or `nagomi guard approve`"
    if source not in _WRITTEN_BY:
        return f"the client sent it by itself ({source})"
    if text.lstrip().startswith(_OWN) or _WRAPPED.fullmatch(text):
        return "the client sent it by itself"
    if not runs_hook(client):
        return "the client that it names did not start this hook"
    if sign := started_by_agent(client):
        return f"an agent started this client: {sign}"
    if not has_terminal(client) and not config.nagomi.prompts_without_terminal:
        return "this client was started without a terminal"
    return _why_not_the_users_session(client) if meaning(text, config) else ""


def _why_not_the_users_session(client: int) -> str:
    """Return why nothing proves that the user started the session of a client; empty if they did.

    Whoever starts a session chooses the first prompt of an agent there, by its command line.
    """
    start = session_start(client)
    if start is None:
        return ""
    from nagomi_tui.api.client import Connection
    from nagomi_tui.api.messages import ListSessions

    try:
        with Connection.open(timeout=_ASK_SECONDS) as nagomi:
            sessions = nagomi.request(ListSessions(id=0), timeout=_ASK_SECONDS).sessions
    except Exception as exc:
        return f"nagomi cannot be asked who started this session: {exc}"
    known = {one.pid: one for one in sessions} | {one.session_id: one for one in sessions}
    found = known.get(start.pid) or known.get(start.named)
    if found is None or found.by_program:
        return "nothing proves that you started this session"
    return ""


def told_refused(text: str, fault: str, config: Config) -> tuple[str, ...]:
    """Return a notice for the user if a phrase was ignored since they did not type it."""
    if not fault or meaning(text, config) is None:
        return ()
    return (texts.NOT_TYPED.format(why=fault.rstrip(".")),)
