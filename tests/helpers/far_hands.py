"""Hands of a test's workplace: over a real ssh, or on this machine as if that was another one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from nagomi_tui.api import messages
from nagomi_tui.hands import presets, registry
from nagomi_tui.hands.hand import Hand
from tests.helpers import bad_line
from tests.helpers.waiting import until
from tests.helpers.workplace import session

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.sshd import Host
    from tests.helpers.workplace import Place


def worker_there(place: Place, *before: str) -> tuple[str, ...]:
    """Return the worker's words: its socket lies in the workplace, and it is found to be ended."""
    env = ["env", f"NAGOMI_HOME={place.home}", f"TMPDIR={place.home}"]
    return (*env, *before, sys.executable, "-P", "-m", "nagomi_worker")


def over(*line: str) -> str:
    """Return ssh's option that has it go over a bad line."""
    words = (sys.executable, "-S", bad_line.__file__, *line, "to=%h:%p")
    return f"-oProxyCommand={' '.join(words)}"


def add_ssh(place: Place, machine: Host, name: str = "big", *options: str, **fields: Any) -> Hand:
    """Add a hand that is this machine over ssh."""
    _, *words, _ = machine.argv("", terminal=False)
    known = {"program": worker_there(place), **fields}
    *usual, target = words
    command = presets.command("ssh", target, [*usual, *options])
    return registry.add(Hand(name=name, kind="ssh", command=command, **known))


def add_plain(place: Place, name: str = "plain", **fields: Any) -> Hand:
    """Add a hand that runs its worker on this machine, as if that was another one."""
    known = {"program": worker_there(place), "command": ("env",), **fields}
    return registry.add(Hand(name=name, **known))


def lines_to(place: Place, program: str = "ssh") -> list[psutil.Process]:
    """Return the commands of hands that run, of a program."""
    return [
        one
        for one in psutil.Process(place.orchestrator).children()
        if one.name() == program or program in one.cmdline()
    ]


def cut(place: Place, program: str = "ssh") -> None:
    """Kill the commands of hands."""
    for process in until(lambda: lines_to(place, program)):
        process.kill()
        until(lambda process=process: not process.is_running())


def cut_bridge(place: Place) -> None:
    """Kill what carries the bytes there, between sshd and the worker."""
    bridges = [
        pid
        for pid, command in place.pids().items()
        if "--stdio --resident" in command and Path(command.split()[0]).name != "ssh"
    ]
    for pid in bridges:
        place.kill(pid)


def standing(connection: Connection, name: str = "big") -> messages.HandStanding:
    """Reach for a hand, and return how it stands."""
    return connection.request(messages.ReachHand(id=0, name=name), timeout=60)


def is_away(connection: Connection, session_id: str) -> bool:
    """Tell whether a session is away."""
    return bool(session(connection, session_id)["condition"] == "away")
