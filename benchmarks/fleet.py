"""Many agent-like sessions and one front end: CPU of each kind of process, and key to echo."""

from __future__ import annotations

import time

from benchmarks.tools.multiplexers import Nagomi, load_program
from benchmarks.tools.processes import cpu_seconds
from benchmarks.tools.terminal import Echoes, type_keys
from nagomi_tui.api import messages as m

QUIET_SECONDS = 10.0


def main(arguments: list[str]) -> None:
    """Run `fleet [sessions=16,64] [updates=12] [keys=1000] [cols=200] [rows=60]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    updates = int(options.get("updates", "12"))
    keys = int(options.get("keys", "1000"))
    size = int(options.get("cols", "200")), int(options.get("rows", "60"))
    for count in map(int, options.get("sessions", "16,64").split(",")):
        _measure(count, updates, keys, size)


def _measure(count: int, updates: int, keys: int, size: tuple[int, int]) -> None:
    program = load_program()
    commands = [f"{program} echo"] + [f"{program} agent {updates}"] * (count - 1)
    nagomi = Nagomi(commands, cols=size[0], rows=size[1])
    try:
        nagomi.terminal.drain(5)
        print(f"{count} sessions, {updates} updates/s each, {size[0]}×{size[1]}")
        kinds = _processes(nagomi)
        before = {kind: cpu_seconds(pids) for kind, pids in kinds.items()}
        began = time.perf_counter()
        nagomi.terminal.drain(QUIET_SECONDS)
        _tell("looked at", kinds, before, began)
        before = {kind: cpu_seconds(pids) for kind, pids in kinds.items()}
        began = time.perf_counter()
        echoes = type_keys(nagomi.terminal, keys)
        _tell("typed into", kinds, before, began, echoes)
    finally:
        nagomi.close()


def _processes(nagomi: Nagomi) -> dict[str, set[int]]:
    status = nagomi.connection.request(m.Status(id=0))
    return {
        "orchestrator": {status.orchestrator.pid},
        "workers": {worker.pid for worker in status.workers},
        "front end": nagomi.front_ends(),
    }


def _tell(
    what: str,
    kinds: dict[str, set[int]],
    before: dict[str, float],
    began: float,
    echoes: Echoes | None = None,
) -> None:
    elapsed = time.perf_counter() - began
    shares = {
        kind: (cpu_seconds(pids) - before[kind]) / elapsed * 100 for kind, pids in kinds.items()
    }
    parts = ", ".join(f"{kind} {share:.1f}" for kind, share in shares.items())
    line = f"  {what:11} {sum(shares.values()):5.1f} % of a core ({parts})"
    if echoes:
        line += f"; key p50 {echoes.at(0.5):.1f} p99 {echoes.at(0.99):.1f} ms, {echoes.lost} lost"
    print(line, flush=True)
