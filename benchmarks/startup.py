"""From `exec` to something visible and to the first full frame, the resident already up."""

from __future__ import annotations

import statistics
import sys
import time

from benchmarks.rooms import NagomiRoom, TmuxRoom, load_program
from benchmarks.terminal import OuterTerminal


def first_frame(terminal: OuterTerminal, mark: bytes) -> float:
    """Return the seconds from the program's start until `mark` was drawn."""
    seen = b""
    while mark not in seen:
        seen = seen[-8192:] + terminal.read(5)
        if time.perf_counter() - terminal.started > 10:
            raise RuntimeError("nothing was drawn within 10 s")
    return time.perf_counter() - terminal.started


def main(arguments: list[str]) -> None:
    """Run `startup [rounds=10]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    rounds = int(options.get("rounds", "10"))
    commands = [f"{load_program()} quiet"] * 4
    for kind in (NagomiRoom, TmuxRoom):
        room = kind(commands)
        visible, full = [], []
        try:
            for _ in range(rounds):
                terminal = OuterTerminal(room.attach_argv(), room.env)
                full.append(first_frame(terminal, b"quiet") * 1000)
                visible.append((terminal.first_byte or 0) * 1000)
                terminal.drain(0.5)
                terminal.close()
        finally:
            room.close()
        print(
            f"{room.name:8} something visible {statistics.median(visible):.0f} ms, "
            f"first frame {statistics.median(full):.0f} ms "
            f"(worst {max(full):.0f}; Python {sys.version.split()[0]})",
            flush=True,
        )
