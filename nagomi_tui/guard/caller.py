"""Tells whether a command is run by the user in a terminal, or perhaps by an agent (DB-5).

Only the user may lift the guard or change its settings. The proof is the ancestors of the calling
process, their environment variables and their terminal; a caller without proof counts as an agent.
"""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from nagomi_tui import lineage
from nagomi_tui.core.agents.registry import CHILD_MARKS
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nagomi_tui.lineage import Process

_MARKS: Final = ("NAGOMI_SESSION_ID", *CHILD_MARKS)
_MULTIPLEXERS: Final = frozenset(
    {"abduco", "byobu", "dtach", "dvtm", "mosh-server", "screen", "tmux", "tmux: server", "zellij"}
)

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


class Processes(Protocol):
    """The processes of this machine."""

    def one(self, pid: int) -> Process | None: ...
    def all(self) -> Iterable[Process]: ...


def doubt(pid: int | None = None, processes: Processes | None = None) -> Doubt | None:
    """Return why a process may run under an agent; None if the user at a terminal is proved.

    Args:
        pid: the process; if None, this one, whose present environment counts, too.
        processes: where processes are looked up; if None, on this machine.
    """
    if pid is None and (marked := _mark(os.environ)):
        return marked
    known = processes or Running()
    chain = lineage.line_of(os.getpid() if pid is None else pid, known.one)
    if not chain:
        return Doubt(_LOST)
    return _doubt_above(chain) or _doubt_of_terminal(chain) or _doubt_beside(chain, known)


def _mark(variables: Mapping[str, str]) -> Doubt | None:
    name = next((name for name in _MARKS if variables.get(name)), "")
    if not name:
        return None
    return Doubt(_IN_SESSION if name == "NAGOMI_SESSION_ID" else _MARKED, {"name": name})


def _doubt_above(chain: tuple[Process, ...]) -> Doubt | None:
    for each in chain:
        if name := lineage.agent_in(each):
            return Doubt(_BELOW, {"name": name, "pid": each.pid})
        if marked := _mark(each.variables):
            return marked
    return None


def _doubt_of_terminal(chain: tuple[Process, ...]) -> Doubt | None:
    me = chain[0]
    if not me.in_foreground:
        return Doubt(_NO_TERMINAL)
    if me.leader not in [each.pid for each in chain]:
        return Doubt(_NO_SHELL)
    return None


def _doubt_beside(chain: tuple[Process, ...], known: Processes) -> Doubt | None:
    """Return a doubt if a running agent may have opened this terminal, or may type into it.

    With `setsid`, `script`, `ssh localhost`, `systemd-run` or a multiplexer's command, an agent can
    start a process that does not have the agent among its ancestors. So only a terminal older than
    every running agent is the user's for certain, and only outside a multiplexer.
    """
    owners = {each.owner for each in chain}
    agents = [each for each in known.all() if each.owner in owners and lineage.agent_in(each)]
    if not agents:
        return None
    first = min(agents, key=lambda each: each.began)
    values = {"name": lineage.agent_in(first), "pid": first.pid}
    opened = next(each.began for each in chain if each.pid == chain[0].leader)
    if opened >= first.began:
        return Doubt(_LATER, values)
    between = next((name for each in chain if (name := _multiplexer(each))), "")
    return Doubt(_TYPED_INTO, {**values, "multiplexer": between}) if between else None


def _multiplexer(process: Process) -> str:
    names = {process.name.casefold(), *(PurePath(word).name for word in process.words[:1])}
    found = sorted(names & _MULTIPLEXERS)
    return found[0].partition(":")[0] if found else ""


class Running:
    """The running processes of this machine."""

    def one(self, pid: int) -> Process | None:
        """Return a process; None if it has ended or cannot be read."""
        return lineage.look(pid)

    def all(self) -> Iterable[Process]:
        """Return every process that can be read."""
        return lineage.running()
