"""Key to echo in a session elsewhere, over a slow and long ssh, beside a flood; and how much passes."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.tools import streams
from benchmarks.tools.multiplexers import Nagomi, clean_env, load_program
from benchmarks.tools.terminal import Echoes, OuterTerminal, type_keys
from nagomi_tui.api import messages as m
from nagomi_tui.hands import presets, registry
from nagomi_tui.hands.hand import Hand
from tests.helpers.far_hands import over
from tests.helpers.sshd import Host, host

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection

_FAR = "far"
_SWALLOWED = 3_000_000


class FarNagomi(Nagomi):
    """nagomi, all of whose sessions are behind a hand."""

    def __init__(self, commands: list[str], machine: Host, line: str, **options: Any) -> None:
        self._machine, self._line = machine, line
        super().__init__(commands, worker_id=_FAR, **options)

    def _start(self) -> Connection:
        connection = super()._start()
        *usual, target = self._machine.argv("", terminal=False)[1:-1]
        registry.add(
            Hand(
                name=_FAR,
                kind="ssh",
                command=presets.command("ssh", target, [*usual, self._line]),
                program=(
                    "env",
                    f"TMPDIR={self._home}",
                    sys.executable,
                    "-P",
                    "-m",
                    "nagomi_worker",
                ),
            )
        )
        return connection


def by_ssh(machine: Host, line: str, command: str, keys: int) -> Echoes:
    """Return what ssh alone takes, with the command in its terminal."""
    ssh, *words = machine.argv(command)
    with tempfile.TemporaryDirectory() as home:
        terminal = OuterTerminal([ssh, line, *words], clean_env(home))
        terminal.drain(3.0)
        echoes = type_keys(terminal, keys, give_up=4.0)
        terminal.close()
    return echoes


def by_nagomi(machine: Host, line: str, commands: list[str], keys: int) -> Echoes:
    """Return what nagomi takes, with the other commands in tiles beside."""
    multiplexer = FarNagomi(commands, machine, line)
    try:
        multiplexer.terminal.drain(5.0)
        return type_keys(multiplexer.terminal, keys, give_up=4.0)
    finally:
        multiplexer.close()


def swallowed(machine: Host, line: str, stream: str) -> float:
    """Return how many KB a second of a stream reach the screen."""
    command = (
        f"sh -c 'sleep 2; head -c {_SWALLOWED} {streams.path_of(stream)}; echo; echo all; cat'"
    )
    multiplexer = FarNagomi([command], machine, line, attach=False)
    try:
        [session] = multiplexer.connection.request(m.ListSessions(id=0)).sessions
        time.sleep(1.5)
        began = time.monotonic() + 0.5
        wait = m.Wait(
            id=0, session=session.session_id, until="output", pattern="^all$", timeout=120
        )
        multiplexer.connection.request(wait, timeout=130)
        return _SWALLOWED / 1000 / (time.monotonic() - began)
    finally:
        multiplexer.close()


def said(name: str, echoes: Echoes, rtt: float, keys: int) -> None:
    """Print one line of figures."""
    print(
        f"  {name:34} p50 {echoes.at(0.5):6.1f}  p95 {echoes.at(0.95):6.1f}  p99 {echoes.at(0.99):6.1f} ms"
        f"   (p95 is the round trip + {echoes.at(0.95) - rtt:.0f}), {echoes.lost} of {keys} lost",
        flush=True,
    )


def main(arguments: list[str]) -> None:
    """Run `far_line [rtt=50,200] [kbs=300] [keys=300] [floods=1] [swallow=log,ascii,redraw]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    kbs, keys = options.get("kbs", "300"), int(options.get("keys", "300"))
    floods = int(options.get("floods", "1"))
    program = load_program()
    with tempfile.TemporaryDirectory() as folder, host(Path(folder)) as machine:
        for rtt in options.get("rtt", "50,200").split(","):
            line = over(f"rtt={rtt}", f"kbs={kbs}")
            print(f"{rtt} ms, {kbs} KB/s")
            alone = by_ssh(machine, line, f"{program} echo", keys)
            said("ssh alone", alone, float(rtt), keys)
            for count in (0, floods):
                commands = [f"{program} echo", *[f"{program} log 0"] * count]
                echoes = by_nagomi(machine, line, commands, keys)
                said(f"nagomi, {count} floods beside", echoes, float(rtt), keys)
        line = over("rtt=50", f"kbs={kbs}")
        for stream in filter(None, options.get("swallow", "log,ascii,redraw").split(",")):
            print(f"  {stream}: {swallowed(machine, line, stream):.0f} KB/s reach the screen")
