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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from nagomi_tui.agents.registry import AGENTS, CHILD_MARKS, PACKAGES
from nagomi_tui.system.platforms import LINUX, WINDOWS
from nagomi_worker.runtime.proc import read_stat

Standing: TypeAlias = Literal["outside", "session", "agent", "unknown"]
"""Where a process runs; `unknown` if its ancestors cannot be read or it has no terminal."""

_SESSION: Final = "NAGOMI_SESSION_ID"
_WORKER: Final = "nagomi_worker"
_RUNNERS: Final = ("node", "bun", "deno", "python", "env", "sh", "bash", "dash", "zsh")
ADOPTERS: Final = frozenset({"init", "launchd", "systemd"})
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
_AGENT: Final = re.compile("|".join(map(re.escape, (*AGENTS, *PACKAGES))).encode())
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
    variables: Mapping[str, str] = {}
    """The environment variables that it was started with; empty if they cannot be read."""
    began: float = 0.0
    """When it was started, in seconds since the epoch."""
    has_terminal: bool = False
    owner: int = -1
    """Its real user id; -1 where there are none."""
    leader: int = 0
    """Process id of its session leader (`getsid`); 0 if unknown."""
    in_foreground: bool = False
    """Whether it has a controlling terminal and is in the foreground process group of it."""


def look(pid: int) -> Process | None:
    """Return a process; None if it has ended or cannot be read."""
    import psutil

    try:
        return _seen(psutil.Process(pid))
    except psutil.Error:
        return None


def running() -> Iterator[Process]:
    """Yield every process that can be read."""
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            yield _seen(process)


def line_of(pid: int, look: Callable[[int], Process | None] = look) -> tuple[Process, ...]:
    """Return a process and its ancestors, parent first; empty if one of them cannot be read."""
    line: list[Process] = []
    while pid > 0:
        found = look(pid)
        if found is None or len(line) >= _MOST:
            return ()
        line.append(found)
        pid = found.parent
    return tuple(line)


def agent_in(process: Process) -> str:
    """Return which coding agent a process runs; empty if none."""
    words = process.words[:3] if _is_runner(process) else process.words[:1]
    for path in (PurePath(word.replace("\\", "/")) for word in (process.name, *words)):
        if path.stem in AGENTS:
            return path.stem
        if found := PACKAGES.intersection(path.parts):
            return min(found)
    return ""


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
        if is_worker(each) or _SESSION in each.variables:
            return "session"
        if agent_in(each) or any(mark in each.variables for mark in CHILD_MARKS):
            return "agent"
    # Anybody may have started a process without a terminal, such as a child of a daemon.
    if not line[0].has_terminal:
        return "unknown"
    return "unknown" if _may_be_orphan(line, agents_began) else "outside"


def is_worker(process: Process) -> bool:
    """Tell whether a process holds sessions; what lost its parent in one becomes its child."""
    return _WORKER in process.words[:_WORDS]


def first_agent_began() -> float:
    """Return when the first of this user's running agents was started; infinity if none runs."""
    import psutil

    began = math.inf
    for process in _candidates():
        with contextlib.suppress(psutil.Error):
            if _is_mine(process) and agent_in(_seen(process)):
                began = min(began, process.create_time())
    return began


def _candidates() -> Iterator[Any]:
    """Yield the processes that may be agents: where that is quickly told, those that name one."""
    import psutil

    if not LINUX:
        yield from psutil.process_iter()
        return
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, psutil.Error):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if _AGENT.search(command) or _AGENT.search(Path(f"/proc/{pid}/comm").read_bytes()):
                yield psutil.Process(int(pid))


def _is_mine(process: Any) -> bool:
    return WINDOWS or bool(process.uids().real == os.getuid())


def _may_be_orphan(line: Sequence[Process], agents_began: Callable[[], float]) -> bool:
    """Tell whether an agent may have started the line and parted from it, as `setsid script` does.

    An orphan has only the system's first processes above it, and is younger than the agent. So are
    terminals, multiplexers and logins that the user began since, which are known by their names.
    """
    below = [each for each in line if each.pid != 1 and each.name not in ADOPTERS] or line[:1]
    # Orphans have a parent; the first process, and one from outside of this container, have none.
    if below[-1].parent == 0 or any(map(opens_terminals, below)):
        return False
    return below[-1].began >= agents_began()


def opens_terminals(process: Process) -> bool:
    """Tell whether a program opens terminals for the user, by its name."""
    names = {process.name, *(PurePath(word).name for word in process.words[:1])}
    return any(map(_OPENERS.match, names))


def terminal_holders(pid: int) -> Iterator[int]:
    """Yield the processes that hold the other end of a process's terminal, where the system tells.

    That is on Linux, and of processes that this user may look into.
    """
    if not LINUX:
        return
    number = _pty_of(pid)
    told = re.compile(rf"^tty-index:\s*{number}$", re.MULTILINE)
    for holder in map(int, filter(str.isdigit, os.listdir("/proc") if number >= 0 else ())):
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{holder}/fd"):
                with contextlib.suppress(OSError):
                    if not os.readlink(f"/proc/{holder}/fd/{fd}").endswith("/ptmx"):
                        continue
                    if told.search(Path(f"/proc/{holder}/fdinfo/{fd}").read_text()):
                        yield holder
                        break


def _pty_of(pid: int) -> int:
    """Return the number of a process's pseudoterminal; -1 if it has none."""
    try:
        number = read_stat(pid).terminal
    except OSError:
        return -1
    major, minor = (number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00)
    return (major - 136) * 256 + minor if 136 <= major <= 143 else -1


def stands_outside(pid: int) -> bool:
    """Tell whether a process is proved to run outside of every session and every agent."""
    return standing(line_of(pid)) == "outside"


def _is_runner(process: Process) -> bool:
    """Tell whether a process is an interpreter, whose program is an argument of its command line."""
    return PurePath(process.words[0] if process.words else "").name.startswith(_RUNNERS)


def _seen(process: Any) -> Process:
    with process.oneshot():
        terminal = _terminal(process)
        return Process(
            pid=process.pid,
            parent=process.ppid(),
            name=process.name(),
            words=tuple(_readable(process.cmdline) or ()),
            variables=_readable(process.environ) or {},
            began=process.create_time(),
            has_terminal=terminal.is_there,
            owner=process.uids().real if hasattr(process, "uids") else -1,
            leader=terminal.leader,
            in_foreground=terminal.in_foreground,
        )


class _Terminal(NamedTuple):
    is_there: bool = False
    leader: int = 0
    in_foreground: bool = False


def _terminal(process: Any) -> _Terminal:
    """Return whether a process has a controlling terminal, and how it stands to that."""
    if WINDOWS:
        return _Terminal()
    try:
        if LINUX:
            found = read_stat(process.pid)
            there = found.terminal != 0
            return _Terminal(there, found.session, there and found.group == found.foreground)
        there = bool(_readable(process.terminal))
        return _Terminal(there, os.getsid(process.pid), there and _has_keyboard(process.pid))
    except (OSError, ValueError):
        return _Terminal()


def _has_keyboard(pid: int) -> bool:
    """Tell whether a process that has a terminal is in its foreground, on systems without /proc.

    There only this process can be asked; any other one counts as in front.
    """
    if WINDOWS:
        return False
    return pid != os.getpid() or (os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp())


def _readable(ask: Any) -> Any:
    """Call a method of psutil; return None if only the owner of the process may do that."""
    import psutil

    try:
        return ask()
    except (psutil.AccessDenied, OSError):
        return None
