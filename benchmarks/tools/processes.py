"""CPU time and memory of process trees, read from /proc."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids: set[int]) -> float:
    """Return user and system time of these processes, in seconds."""
    return sum(_cpu_of(pid) for pid in pids)


def pss_bytes(pids: set[int]) -> int:
    """Return the proportional set size of these processes, in bytes."""
    return sum(_pss_of(pid) for pid in pids)


def switches(pids: set[int]) -> int:
    """Return how often these processes' threads have given up or lost a core so far."""
    return sum(_switches_of(task) for pid in pids for task in Path(f"/proc/{pid}/task").iterdir())


def stolen_seconds() -> float:
    """Return for how long, since the start, a virtual core was ready and its host ran another."""
    return float(getattr(psutil.cpu_times(), "steal", 0.0))


def children(pid: int) -> set[int]:
    """Return the processes that this one has started and that live."""
    try:
        return {child.pid for child in psutil.Process(pid).children()}
    except psutil.NoSuchProcess:
        return set()


def _cpu_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _pss_of(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def _switches_of(task: Path) -> int:
    try:
        lines = (task / "status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
