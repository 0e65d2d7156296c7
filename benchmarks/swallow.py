"""How fast one pane of 200×50 takes in 100 MB: nagomi and tmux in turn, both attached, and a reader
in C on the same PTY that only reads, which is the most that this machine gives to anybody."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.tools.multiplexers import Multiplexer, Nagomi, Tmux, load_program
from benchmarks.tools.streams import NAMES, path_of

COLS, ROWS = 200, 50


def run(kind: str, stream: str, megabytes: float) -> float:
    """Return MB/s from the first byte to the answer of the query after the last one."""
    report = Path(tempfile.mkdtemp(prefix="ngswallow")) / "report"
    if kind == "bare":
        order = [load_program(), "bare", path_of(stream), str(megabytes), str(report)]
        subprocess.run(order, timeout=300, check=True)
        return _rate(report)
    command = f"{load_program()} swallow {path_of(stream)} {megabytes} {report}"
    waiting = f"sh -c 'sleep 3; exec {command}'"
    multiplexer: Multiplexer
    if kind == "tmux":
        multiplexer = Tmux([waiting], cols=COLS, rows=ROWS + 1)
    else:
        multiplexer = Nagomi([waiting], cols=COLS, rows=ROWS + 4, sizes=[(COLS, ROWS)])
    try:
        end = time.monotonic() + 300
        while not report.exists() or not report.read_text().endswith("\n"):
            multiplexer.terminal.drain(0.1)
            if time.monotonic() > end:
                raise RuntimeError(f"{kind} did not take in {stream} within 300 s")
        return _rate(report)
    finally:
        multiplexer.close()


def _rate(report: Path) -> float:
    seconds, size = report.read_text().split()
    return float(size) / float(seconds) / 1e6


def main(arguments: list[str]) -> None:
    """Run `swallow [STREAM…] [mb=100] [rounds=1]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    streams = [a for a in arguments if a in NAMES] or list(NAMES)
    megabytes = float(options.get("mb", "100"))
    ratios = []
    for stream in streams:
        rates: dict[str, list[float]] = {"tmux": [], "nagomi": [], "bare": []}
        for _ in range(int(options.get("rounds", "1"))):
            for kind, taken in rates.items():
                taken.append(run(kind, stream, megabytes))
        peer, ours, bare = map(statistics.median, rates.values())
        ratios.append(ours / peer)
        print(
            f"{stream:8} nagomi {ours:6.1f} MB/s   tmux {peer:6.1f} MB/s   ratio {ours / peer:.2f}"
            f"   bare reader {bare:6.1f} MB/s   share {ours / bare:.2f}",
            flush=True,
        )
    print(f"median of the ratios {statistics.median(ratios):.2f}")
