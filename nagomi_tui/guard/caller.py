"""Tells whether a command is run by the user in a terminal, or perhaps by an agent (DB-5).

Only the user may lift the guard or change its settings. The proof is the ancestors of the calling
process, their environment variables and their terminal; a caller without proof counts as an agent.
"""

from __future__ import annotations

import os
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from nagomi_tui.core.agents.registry import AGENTS, CHILD_MARKS, PACKAGES
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_MARKS: Final = ("NAGOMI_SESSION_ID", *CHILD_MARKS)
_MULTIPLEXERS: Final = frozenset(
    {"abduco", "byobu", "dtach", "dvtm", "mosh-server", "screen", "tmux", "tmux: server", "zellij"}
)
_MOST_ANCESTORS: Final = 100

_IN_SESSION: Final = translatable(
    "this runs in a session of nagomi, into which agents can write ({name} is set)"
)
_MARKED: Final = translatable("an agent started this ({name} is set)")
_BELOW: Final = translatable("an agent started this ({name}, process {pid})")
_LOST: Final = translatable("the processes above this one cannot be followed")
_NO_TERMINAL: Final = translatable("this does not run in the foreground of a terminal")
_NO_SHELL: Final = translatable("the terminal's first process is not above this one")
_LATER: Final = translatable(
    "this terminal was opened while an agent was running ({name}, process {pid}), and may be the agent's"
)
_TYPED_INTO: Final = translatable(
    "an agent is running ({name}, process {pid}), and could type into a terminal of {multiplexer}"
)


class Doubt(NamedTuple):
    """Why a caller may be an agent: an untranslated clause, and the values of its placeholders."""

    clause: str
    values: Mapping[str, object] = {}


class Seen(NamedTuple):
    """A process, as read once from the system."""

    pid: int
    parent: int
    owner: int
    name: str
    words: tuple[str, ...]
    """Its command line."""
    variables: Mapping[str, str]
    """The environment variables that it was started with; empty if they cannot be read."""
    began: float
    """When it was started, in seconds since the epoch."""
    leader: int
    """Process id of its session leader (`getsid`); 0 if unknown."""
    in_foreground: bool
    """Whether it has a controlling terminal and is in the foreground process group of it."""


class Processes(Protocol):
    """The processes of this machine."""

    def one(self, pid: int) -> Seen | None: ...
    def all(self) -> Iterable[Seen]: ...


def is_agent() -> bool:
    """Tell whether this process may run under an agent: nothing proves that the user started it."""
    return doubt() is not None


def doubt(pid: int | None = None, processes: Processes | None = None) -> Doubt | None:
    """Return why a process may run under an agent; None if the user at a terminal is proved.

    Args:
        pid: the process; if None, this one, whose present environment counts, too.
        processes: where processes are looked up; if None, on this machine.
    """
    if pid is None and (marked := _mark(os.environ)):
        return marked
    known = processes or Running()
    chain = _chain(os.getpid() if pid is None else pid, known)
    if not chain:
        return Doubt(_LOST)
    return _doubt_above(chain) or _doubt_of_terminal(chain) or _doubt_beside(chain, known)


def client_name(process: Seen) -> str:
    """Return which coding agent a process runs; empty if none."""
    paths = [PurePath(word.replace("\\", "/")) for word in (process.name, *process.words[:3])]
    for path in paths:
        if path.stem in AGENTS or path.name in AGENTS:
            return path.stem if path.stem in AGENTS else path.name
        if found := PACKAGES.intersection(path.parts):
            return min(found)
    return ""


def _mark(variables: Mapping[str, str]) -> Doubt | None:
    name = next((name for name in _MARKS if variables.get(name)), "")
    if not name:
        return None
    return Doubt(_IN_SESSION if name == "NAGOMI_SESSION_ID" else _MARKED, {"name": name})


def _chain(pid: int, known: Processes) -> tuple[Seen, ...]:
    """Return a process and its ancestors; empty if one of them cannot be read."""
    chain: list[Seen] = []
    while pid > 0:
        found = known.one(pid)
        if found is None or len(chain) >= _MOST_ANCESTORS:
            return ()
        chain.append(found)
        pid = found.parent
    return tuple(chain)


def _doubt_above(chain: tuple[Seen, ...]) -> Doubt | None:
    for each in chain:
        if name := client_name(each):
            return Doubt(_BELOW, {"name": name, "pid": each.pid})
        if marked := _mark(each.variables):
            return marked
    return None


def _doubt_of_terminal(chain: tuple[Seen, ...]) -> Doubt | None:
    me = chain[0]
    if not me.in_foreground:
        return Doubt(_NO_TERMINAL)
    if me.leader not in [each.pid for each in chain]:
        return Doubt(_NO_SHELL)
    return None


def _doubt_beside(chain: tuple[Seen, ...], known: Processes) -> Doubt | None:
    """Return a doubt if a running agent may have opened this terminal, or may type into it.

    With `setsid`, `script`, `ssh localhost`, `systemd-run` or a multiplexer's command, an agent can
    start a process that does not have the agent among its ancestors. So only a terminal older than
    every running agent is the user's for certain, and only outside a multiplexer.
    """
    owners = {each.owner for each in chain}
    agents = [each for each in known.all() if each.owner in owners and client_name(each)]
    if not agents:
        return None
    first = min(agents, key=lambda each: each.began)
    values = {"name": client_name(first), "pid": first.pid}
    opened = next(each.began for each in chain if each.pid == chain[0].leader)
    if opened >= first.began:
        return Doubt(_LATER, values)
    between = next((name for each in chain if (name := _multiplexer(each))), "")
    return Doubt(_TYPED_INTO, {**values, "multiplexer": between}) if between else None


def _multiplexer(process: Seen) -> str:
    names = {process.name.casefold(), *(PurePath(word).name for word in process.words[:1])}
    found = sorted(names & _MULTIPLEXERS)
    return found[0].partition(":")[0] if found else ""


class Running:
    """The running processes of this machine, looked up with psutil."""

    def one(self, pid: int) -> Seen | None:
        """Return a process; None if it has ended or cannot be read."""
        import psutil

        try:
            return _seen(psutil.Process(pid))
        except psutil.Error:
            return None

    def all(self) -> Iterator[Seen]:
        """Yield every process that can be read."""
        import psutil

        for process in psutil.process_iter():
            try:
                yield _seen(process)
            except psutil.Error:
                continue


def _seen(process: Any) -> Seen:
    leader, in_foreground = _terminal(process)
    return Seen(
        pid=process.pid,
        parent=process.ppid(),
        owner=process.uids().real if hasattr(process, "uids") else -1,
        name=process.name(),
        words=tuple(_readable(process.cmdline, [])),
        variables=_readable(process.environ, {}),
        began=process.create_time(),
        leader=leader,
        in_foreground=in_foreground,
    )


def _readable(ask: Any, otherwise: Any) -> Any:
    """Call a method of psutil; return `otherwise` if only the owner of the process may do that."""
    import psutil

    try:
        return ask()
    except (psutil.AccessDenied, OSError):
        return otherwise


def _terminal(process: Any) -> tuple[int, bool]:
    """Return the session leader of a process, and whether the process is in the foreground."""
    if sys.platform == "win32":
        return 0, False
    try:
        if sys.platform == "linux":
            with open(f"/proc/{process.pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            group, leader, terminal, foreground = map(int, fields[2:6])
            return leader, terminal != 0 and group == foreground
        return os.getsid(process.pid), _has_keyboard(process)
    except (OSError, ValueError):
        return 0, False


def _has_keyboard(process: Any) -> bool:
    """Tell whether a process is in the foreground, on systems without /proc.

    There only this process can be asked; any other one that has a terminal counts as in front.
    """
    if sys.platform == "win32" or not process.terminal():
        return False
    if process.pid != os.getpid():
        return True
    return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
