"""Tells whether a command is run by the user in a terminal, or perhaps by an agent (DB-5).

Only the user may lift the guard or change its settings. The proof is the ancestors of the calling
process, their environment variables and their terminal; a caller without proof counts as an agent.

While no agent runs, a terminal is proof enough. While one runs, it may have made the terminal: with
`setsid`, `script`, `systemd-run` or a double fork it starts processes that do not have it among
their ancestors. So the terminal must be older than every agent, or a shell in it must have been
opened by a program that opens terminals for users, such as a terminal emulator, `sshd` or `login`.
Nobody's ancestors tell who typed into a terminal multiplexer; tmux tells when a key was pressed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Final

from nagomi_tui.agents import process_tree
from nagomi_tui.agents.process_tree import Process
from nagomi_tui.agents.registry import CHILD_MARKS
from nagomi_tui.shell.words import named
from nagomi_tui.text.words import Said, translatable

_MARKS: Final = ("NAGOMI_SESSION_ID", *CHILD_MARKS)
_MULTIPLEXERS: Final = frozenset(
    {"abduco", "byobu", "dtach", "dvtm", "screen", "tmux", "tmux: server", "zellij"}
)
_SHELLS: Final = named("ash bash csh dash elvish fish ksh mksh nu pwsh sh tcsh xonsh yash zsh")
_INTERACTIVE: Final = named("--login --interactive --posix --norc --noprofile -i -l -il -li")
"""Arguments with which a shell still reads nothing before the user's own files."""
_KEY_SECONDS: Final = 10
"""How long before a command began the last key may have been pressed in its pane of tmux."""
_LONGEST_START: Final = 60
"""A process that is older than this is no command that is just starting."""
_TMUX_SECONDS: Final = 2.0
_DEEPEST: Final = 4
"""Most tmux servers that lie within one another."""

_IN_SESSION: Final = translatable(
    "this runs in a session of nagomi, into which agents can write ({name} is set)"
)
_ADOPTED: Final = translatable(
    "this runs in a session of nagomi, into which agents can write (process {pid})"
)
_MARKED: Final = translatable("an agent started this ({name} is set)")
_BELOW: Final = translatable("an agent started this ({name}, process {pid})")
_LOST: Final = translatable("the processes above this one cannot be followed")
_NO_TERMINAL: Final = translatable("this does not run in the foreground of a terminal")
_NO_SHELL: Final = translatable("the terminal's first process is not above this one")
_LATER: Final = translatable(
    "while an agent is running ({name}, process {pid}) this terminal was opened by {opener}, "
    "which may be the agent's"
)
_NOT_A_SHELL: Final = translatable(
    "while an agent is running ({name}, process {pid}) this terminal was opened for `{command}`, "
    "not for a shell that you type into"
)
_FROM_HERE: Final = translatable(
    "an agent is running ({name}, process {pid}), and this came by ssh from this machine itself"
)
_TYPED_INTO: Final = translatable(
    "an agent is running ({name}, process {pid}), and could type into a terminal of {multiplexer}"
)
_NO_KEY: Final = translatable(
    "an agent is running ({name}, process {pid}), and no key was pressed in this pane of tmux "
    "within the last {seconds} seconds"
)


def doubt(
    pid: int | None = None, processes: Processes | None = None, *, depth: int = 0
) -> Said | None:
    """Return in a clause why a process may run under an agent; None if the user at a terminal is proved.

    Args:
        pid: the process; if None, this one, whose present environment counts, too.
        processes: where processes are looked up; if None, on this machine.
        depth: how many multiplexers lie between this process and the one that was asked about.
    """
    if pid is None and (marked := _mark(os.environ)):
        return marked
    known = processes or Processes()
    chain = process_tree.line_of(os.getpid() if pid is None else pid, known.one)
    if not chain:
        return Said(_LOST, {})
    return (
        _doubt_above(chain) or _doubt_of_terminal(chain) or _doubt_beside(chain, known, depth=depth)
    )


def _mark(variables: Mapping[str, str]) -> Said | None:
    name = next((name for name in _MARKS if variables.get(name)), "")
    if not name:
        return None
    return Said(_IN_SESSION if name == "NAGOMI_SESSION_ID" else _MARKED, {"name": name})


def _doubt_above(chain: tuple[Process, ...]) -> Said | None:
    for each in chain:
        if name := process_tree.agent_in(each):
            return Said(_BELOW, {"name": name, "pid": each.pid})
        if marked := _mark(each.variables):
            return marked
        if process_tree.is_worker(each):
            return Said(_ADOPTED, {"pid": each.pid})
    return None


def _doubt_of_terminal(chain: tuple[Process, ...]) -> Said | None:
    me = chain[0]
    if not me.in_foreground:
        return Said(_NO_TERMINAL, {})
    if me.leader not in [each.pid for each in chain]:
        return Said(_NO_SHELL, {})
    return None


def _doubt_beside(chain: tuple[Process, ...], known: Processes, *, depth: int) -> Said | None:
    """Return a doubt if a running agent may have made this terminal, or may type into it."""
    owners = {each.owner for each in chain}
    agents = [each for each in known.all() if each.owner in owners and process_tree.agent_in(each)]
    if not agents:
        return None
    first = min(agents, key=lambda each: each.began)
    values = {"name": process_tree.agent_in(first), "pid": first.pid}
    if found := _doubt_of_opener(chain, first.began, known, typed_in=depth == 0):
        return Said(found.message, {**values, **found.values})
    between = next((each for each in chain[1:] if _multiplexer(each)), None)
    if between is None:
        return None
    if _multiplexer(between) != "tmux" or depth >= _DEEPEST:
        return Said(_TYPED_INTO, {**values, "multiplexer": _multiplexer(between)})
    doubts = [doubt(client, known, depth=depth + 1) for client in _typists(chain, between)]
    if None in doubts:
        return None
    return next(iter(doubts), None) or Said(_NO_KEY, {**values, "seconds": _KEY_SECONDS})


def _doubt_of_opener(
    chain: tuple[Process, ...], agents_began: float, known: Processes, *, typed_in: bool
) -> Said | None:
    """Return a doubt if the terminal is younger than an agent, and not opened for the user.

    A shell must be in it where its keys are what is asked for (`typed_in`), not those of a tmux in it.
    """
    opened = next(each for each in chain if each.pid == chain[0].leader)
    if opened.began < agents_began:
        return None
    above = [each for each in chain if each.pid != 1 and each.name not in process_tree.ADOPTERS]
    at = next((n for n in range(1, len(above)) if process_tree.opens_terminals(above[n])), 0)
    if not at:
        # An orphan has a parent; the first process of a container's command has none.
        is_older = above[-1].parent == 0 or above[-1].began < agents_began
        return None if is_older else Said(_LATER, {"opener": above[-1].name})
    shell, opener = above[at - 1], above[at]
    if typed_in and not _is_shell(shell):
        return Said(_NOT_A_SHELL, {"command": " ".join(shell.words)[:80] or shell.name})
    if _came_from_here(shell):
        return Said(_FROM_HERE, {})
    holders = [found for found in map(known.one, known.holders(shell.pid)) if found]
    if holders and not any(map(process_tree.opens_terminals, holders)):
        # The opener has only adopted the shell of somebody else's terminal.
        return Said(_LATER, {"opener": holders[0].name})
    is_first = shell.leader in (shell.pid, opener.pid)
    return None if is_first else Said(_LATER, {"opener": opener.name})


def _is_shell(process: Process) -> bool:
    """Tell whether a process is a shell that reads what is typed."""
    name = PurePath(process.words[0] if process.words else process.name).name.lstrip("-")
    return name in _SHELLS and _INTERACTIVE.issuperset(process.words[1:])


def _came_from_here(shell: Process) -> bool:
    """Tell whether a shell was begun by ssh from this very machine, as an agent does it."""
    client, _, rest = shell.variables.get("SSH_CONNECTION", "").partition(" ")
    server = rest.split()[1:2]
    return client.startswith("127.") or client == "::1" or (bool(client) and [client] == server)


def _multiplexer(process: Process) -> str:
    names = {process.name, process.name.casefold()}
    names |= {PurePath(word).name for word in process.words[:1]}
    found = sorted(names & _MULTIPLEXERS)
    return found[0].partition(":")[0] if found else ""


def _typists(chain: tuple[Process, ...], server: Process) -> Iterator[int]:
    """Yield the clients of a tmux server that show this pane, and had a key a moment ago."""
    within = chain[: chain.index(server)]
    variables = within[-1].variables if within else {}
    socket, pane = variables.get("TMUX", "").partition(",")[0], variables.get("TMUX_PANE")
    try:
        program = os.readlink(f"/proc/{server.pid}/exe")
    except OSError:
        program = shutil.which("tmux") or ""
    if not (socket and pane and program):
        return
    form = "#{client_pid} #{client_activity} #{pane_id}"
    oldest = time.time() - _KEY_SECONDS - _took_to_ask(chain[0])
    try:
        done = subprocess.run(
            [program, "-S", socket, "list-clients", "-F", form],
            capture_output=True, text=True, timeout=_TMUX_SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return
    for line in done.stdout.splitlines():
        client, at, shown = (line.split() + ["", "", ""])[:3]
        if shown == pane and at.isdigit() and int(at) >= oldest:
            yield int(client)


def _took_to_ask(process: Process) -> float:
    """Return for how long a command has been starting, which on a busy machine takes seconds."""
    age = time.time() - process.began
    return age if process.pid == os.getpid() and age < _LONGEST_START else 0.0


class Processes:
    """The running processes of this machine."""

    def one(self, pid: int) -> Process | None:
        """Return a process; None if it has ended or cannot be read."""
        return process_tree.look(pid)

    def all(self) -> Iterable[Process]:
        """Return every process that can be read."""
        return process_tree.running()

    def holders(self, pid: int) -> Iterable[int]:
        """Yield the processes that hold the other end of a process's terminal, where that is told."""
        return process_tree.terminal_holders(pid)
