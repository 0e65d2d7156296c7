"""Key to echo, CPU, bytes and frames with 1 to 16 tiles under load: nagomi and tmux in turn."""

from __future__ import annotations

import time
from dataclasses import dataclass

from benchmarks.tools import sounds
from benchmarks.tools.multiplexers import Multiplexer, Nagomi, Tmux, load_program
from benchmarks.tools.processes import cpu_seconds
from benchmarks.tools.terminal import type_keys

LOADS = {"log": "log 100", "redraw": "redraw 30", "agent": "agent 12", "flood": "log 0"}


@dataclass
class Figures:
    """One run: latencies in ms, CPU in percent of a core, KB and frames a second to the terminal."""

    p50: float
    p95: float
    p99: float
    lost: int
    keys: int
    cpu: float
    kilobytes: float
    frames: float

    def line(self) -> str:
        return (
            f"{self.p50:7.2f} {self.p95:7.2f} {self.p99:7.2f} ms   {self.cpu:5.1f} %  "
            f"{self.kilobytes:7.0f} KB/s   {self.frames:5.1f} frames/s   {self.keys} keys, {self.lost} lost"
        )


def measure(multiplexer: Multiplexer, keys: int) -> Figures:
    """Type into the multiplexer's first program and return what was seen."""
    pids = multiplexer.pids()
    cpu, began = cpu_seconds(pids), time.perf_counter()
    echoes = type_keys(multiplexer.terminal, keys)
    spent = cpu_seconds(pids) - cpu
    elapsed = time.perf_counter() - began
    return Figures(
        echoes.at(0.5),
        echoes.at(0.95),
        echoes.at(0.99),
        echoes.lost,
        keys,
        spent / elapsed * 100,
        echoes.bytes_out / elapsed / 1000,
        echoes.frames / elapsed,
    )


def run(tiles: int, load: str, keys: int, lanes: int = 0) -> tuple[Figures, Figures]:
    """Return nagomi's and tmux's figures with the same programs in panes of the same size.

    With `lanes`, nagomi shows so many of them in the chat, beside the one that is typed into.
    """
    program = load_program()
    commands = [f"{program} echo"] + [f"{program} {LOADS[load]}"] * (tiles - 1)
    tmux = Tmux(commands)
    try:
        sizes = tmux.sizes()
        peer = measure(tmux, keys)
    finally:
        tmux.close()
    ours = Nagomi(commands, sizes=sizes)
    try:
        if lanes:
            ours.open_lanes(lanes)
        return measure(ours, keys), peer
    finally:
        ours.close()


def beside_sound(kind: str, keys: int) -> None:
    """Print the echo with nothing to be heard, and beside sound that cannot be played."""
    commands = [f"{load_program()} echo"]
    multiplexer = Nagomi(commands)
    try:
        quiet = measure(multiplexer, keys)
    finally:
        multiplexer.close()
    with sounds.trouble(kind) as env:
        multiplexer = Nagomi(commands, env=env)
        try:
            with sounds.Asker(multiplexer.env) as asker:
                beside = measure(multiplexer, keys)
        finally:
            multiplexer.close()
    print(f"sound {kind}, asked for {asker.asked} times (by {asker.way})")
    print(f"  nothing     {quiet.line()}")
    print(f"  beside it   {beside.line()}")
    print(
        f"  ratio       {beside.p50 / quiet.p50:7.2f} {beside.p95 / quiet.p95:7.2f} "
        f"{beside.p99 / quiet.p99:7.2f}",
        flush=True,
    )


def main(arguments: list[str]) -> None:
    """Run `echo [LOAD…] [tiles=1,4,9,16] [keys=1000] [lanes=0]`, or `echo sound=none,hung,crash`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    if "sound" in options:
        for kind in options["sound"].split(","):
            beside_sound(kind, int(options.get("keys", "1000")))
        return
    loads = [a for a in arguments if a in LOADS] or list(LOADS)
    tiles = [int(n) for n in options.get("tiles", "1,4,9,16").split(",")]
    keys = int(options.get("keys", "1000"))
    lanes = int(options.get("lanes", "0"))
    for load in loads:
        for count in tiles:
            ours, peer = run(count, load, keys, lanes)
            print(
                f"{load}, {lanes or count} {'lanes' if lanes else 'tiles'}       p50     p95     p99        CPU      output"
            )
            print(f"  nagomi      {ours.line()}")
            print(f"  tmux        {peer.line()}")
            print(
                f"  ratio       {ours.p50 / peer.p50:7.2f} {ours.p95 / peer.p95:7.2f} "
                f"{ours.p99 / peer.p99:7.2f}      {ours.cpu / max(peer.cpu, 0.1):5.2f}  "
                f"{ours.kilobytes / max(peer.kilobytes, 0.001):8.2f}",
                flush=True,
            )
