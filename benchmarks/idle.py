"""CPU and memory of nagomi's processes while 16 sessions are quiet and a front end is attached."""

from __future__ import annotations

import time

from benchmarks.tools.multiplexers import Nagomi, Tmux, load_program
from benchmarks.tools.processes import cpu_seconds, pss_bytes


def main(arguments: list[str]) -> None:
    """Run `idle [seconds=60] [sessions=16] [working]`: shells at their prompts, or sleepers."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    seconds = float(options.get("seconds", "60"))
    working = "working" in arguments
    command = f"{load_program()} quiet" if working else "bash --norc --noprofile"
    commands = [command] * int(options.get("sessions", "16"))
    what = "sessions that work in silence" if working else "quiet shells"
    for kind in (Nagomi, Tmux):
        multiplexer = kind(commands)
        try:
            multiplexer.terminal.drain(8)
            pids = multiplexer.pids()
            cpu, memory = cpu_seconds(pids), pss_bytes(pids)
            began = time.perf_counter()
            multiplexer.terminal.drain(seconds)
            spent = (cpu_seconds(pids) - cpu) / (time.perf_counter() - began) * 100
            grown = pss_bytes(pids) - memory
            print(
                f"{multiplexer.name:8} {len(commands)} {what}: {spent:.2f} % of a core, "
                f"{memory / 1e6:.0f} MB, {grown / 1e3:+.0f} KB in {seconds:.0f} s",
                flush=True,
            )
        finally:
            multiplexer.close()
