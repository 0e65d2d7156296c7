"""Finds the ancestors of a process, and tells whether it runs in a nagomi session or under an agent.

A process that an agent starts has the agent among its ancestors. A process orphaned in a nagomi
session has the session's worker among them, since the worker adopts orphans (on Linux only). Another orphan is
known by being younger than a running agent. What an agent starts through another resident program,
such as a tmux server or `ssh localhost`, looks like a process that the user started there. `nagomi_tui/guard/caller.py` is stricter.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from nagomi_tui.core.agents.registry import AGENTS, CHILD_MARKS, PACKAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Standing: TypeAlias = Literal["outside", "session", "agent", "unknown"]
"""Where a process runs; `unknown` if its ancestors cannot be read or it has no terminal."""

_SESSION: Final = "NAGOMI_SESSION_ID"
_WORKER: Final = "nagomi_worker"
_RUNNERS: Final = ("node", "bun", "deno", "python", "env", "sh", "bash", "dash", "zsh")
_FIRST: Final = frozenset({"init", "launchd", "systemd"})
"""Names of processes that adopt orphans."""
_OPENERS: Final = re.compile(
    r"(abduco|alacritty|byobu|code|contour|cursor|dropbear|dtach|dvtm|emacs|foot|ghostty"
    r"|gnome-terminal|guake|hyper|iterm2|itermserver|kgx|kitty|konsole|login|lxterminal"
    r"|mate-terminal|mosh-server|ptyxis|qterminal|relay|rio|rxvt|screen|sessionleader|sshd|st|tabby"
    r"|terminal|terminator|terminology|tilda|tilix|tmux|urxvtd?|uxterm|warp|wezterm|xfce4-terminal"
    r"|xterm|yakuake|zed|zeditor|zellij)(\W|$)",
    re.IGNORECASE,
)
"""How names begin of programs that open terminals for the user."""
_MOST: Final = 100
_WORDS: Final = 6
"""Number of leading words of a command line in which the name of the worker is looked for."""


class Process(NamedTuple):
    """A process, as read once from the system."""

    pid: int
    parent: int
    name: str
    words: tuple[str, ...] = ()
    """Its command line."""
    variables: frozenset[str] = frozenset()
    """Names of the environment variables that it was started with; empty if they cannot be read."""
    began: float = 0.0
    """When it was started, in seconds since the epoch."""
    has_terminal: bool = False


def line_of(pid: int) -> tuple[Process, ...]:
    """Return a process and its ancestors, parent first; empty if one of them cannot be read."""
    import psutil

    line: list[Process] = []
    while pid > 0:
        try:
            found = _seen(psutil.Process(pid))
        except psutil.Error:
            return ()
        line.append(found)
        if len(line) > _MOST:
            return ()
        pid = found.parent
    return tuple(line)


def standing(line: Sequence[Process], agents_began: Callable[[], float] | None = None) -> Standing:
    """Return where a process runs.

    Args:
        line: the process and its ancestors, as `line_of` returns.
        agents_began: tells what `first_agent_began` does, which is asked if None.
    """
    agents_began = agents_began or first_agent_began
    if not line:
        return "unknown"
    for each in line:
        if _WORKER in each.words[:_WORDS] or _SESSION in each.variables:
            return "session"
        if _is_agent(each) or not each.variables.isdisjoint(CHILD_MARKS):
            return "agent"
    # Anybody may have started a process without a terminal, such as a child of a daemon.
    if not line[0].has_terminal:
        return "unknown"
    return "unknown" if _may_be_orphan(line, agents_began) else "outside"


def first_agent_began() -> float:
    """Return when the first of this user's running agents was started; infinity if none runs."""
    import psutil

    began = math.inf
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if _is_mine(process) and _is_agent(_seen(process)):
                began = min(began, process.create_time())
    return began


def _is_mine(process: Any) -> bool:
    return sys.platform == "win32" or bool(process.uids().real == os.getuid())


def _may_be_orphan(line: Sequence[Process], agents_began: Callable[[], float]) -> bool:
    """Tell whether an agent may have started the line and parted from it, as `setsid script` does.

    An orphan has only the system's first processes above it, and is younger than the agent. So are
    terminals, multiplexers and logins that the user began since, which are known by their names.
    """
    below = [each for each in line if each.pid != 1 and each.name not in _FIRST] or line[:1]
    # Orphans have a parent; the first process, and one from outside of this container, have none.
    if below[-1].parent == 0 or any(_opens_terminals(each) for each in below):
        return False
    return below[-1].began >= agents_began()


def _opens_terminals(process: Process) -> bool:
    names = {process.name, *(PurePath(word).name for word in process.words[:1])}
    return any(map(_OPENERS.match, names))


def stands_outside(pid: int) -> bool:
    """Tell whether a process is proved to run outside of every session and every agent."""
    return standing(line_of(pid)) == "outside"


def _is_agent(process: Process) -> bool:
    words = process.words[:3] if _is_runner(process) else process.words[:1]
    paths = [PurePath(word.replace("\\", "/")) for word in (process.name, *words)]
    return any(path.stem in AGENTS or not PACKAGES.isdisjoint(path.parts) for path in paths)


def _is_runner(process: Process) -> bool:
    """Tell whether a process is an interpreter, whose program is an argument of its command line."""
    return PurePath(process.words[0] if process.words else "").name.startswith(_RUNNERS)


def _seen(process: Any) -> Process:
    with process.oneshot():
        return Process(
            pid=process.pid,
            parent=process.ppid(),
            name=process.name(),
            words=tuple(_told(process.cmdline)),
            variables=frozenset(_told(process.environ)),
            began=process.create_time(),
            has_terminal=_has_terminal(process),
        )


def _has_terminal(process: Any) -> bool:
    """Tell whether a process has a controlling terminal."""
    if sys.platform != "linux":
        return bool(_told(process.terminal))
    try:
        return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[4] != "0"
    except (OSError, IndexError, UnicodeDecodeError):
        return False


def _told(ask: Any) -> Any:
    """Call a method of psutil; return an empty tuple if only the owner of the process may do that."""
    import psutil

    try:
        return ask() or ()
    except (psutil.AccessDenied, OSError):
        return ()
