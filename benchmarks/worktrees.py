"""What it costs to watch worktrees: `ls` and key to echo with agents in worktrees, and in plain folders."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.tools.multiplexers import Nagomi, load_program
from benchmarks.tools.processes import cpu_seconds
from benchmarks.tools.terminal import type_keys
from nagomi_tui.api import messages as m

_NAGOMI: Final = str(Path(sys.executable).with_name("nagomi"))
_FILES: Final = 200
_SETTLE_SECONDS: Final = 12.0
"""Longer than from one look of the watch to the next."""
_PATIENCE: Final = 120.0
"""Seconds in which all worktrees must have been looked at."""
_LISTINGS: Final = 5
_AUTHOR: Final = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "gc.auto=0")


class Taken(NamedTuple):
    """What one run has shown, in milliseconds and percent of a core."""

    ls: float
    p50: float
    p95: float
    cpu: float
    watched: int


def main(arguments: list[str]) -> None:
    """Run `worktrees [count=30] [rounds=3] [keys=300] [updates=2]`: with and without, in turn.

    In each worktree an agent prints `updates` times a second, so that git is asked about it every
    ten seconds.
    """
    options = dict(one.split("=", 1) for one in arguments)
    count, rounds = int(options.get("count", "30")), int(options.get("rounds", "3"))
    keys, updates = int(options.get("keys", "300")), options.get("updates", "2")
    with tempfile.TemporaryDirectory(prefix="ngtrees", dir="/tmp") as place:
        folders = {True: _worktrees(Path(place), count), False: _plain(Path(place), count)}
        found: dict[bool, list[Taken]] = {True: [], False: []}
        for _ in range(rounds):
            for with_them in (False, True):
                found[with_them].append(_run(folders[with_them], updates, keys, watched=with_them))
                _tell(with_them, found[with_them][-1])
    for field in ("ls", "p50", "p95", "cpu"):
        plain, trees = (
            statistics.median(getattr(one, field) for one in found[kind]) for kind in (False, True)
        )
        print(f"  {field:4} plain {plain:7.2f}  worktrees {trees:7.2f}  ratio {trees / plain:.2f}")


def _tell(with_them: bool, taken: Taken) -> None:
    print(
        f"  {'worktrees' if with_them else 'plain':9} ls {taken.ls:.0f} ms, key p50 {taken.p50:.2f} "
        f"p95 {taken.p95:.2f} ms, {taken.cpu:.1f} % of a core, {taken.watched} watched "
        f"(load {os.getloadavg()[0]:.1f})",
        flush=True,
    )


def _run(folders: list[Path], updates: str, keys: int, *, watched: bool) -> Taken:
    program = load_program()
    nagomi = Nagomi([f"{program} echo"], attach=False)
    try:
        for folder in folders:
            agent = f"{program} agent {updates}"
            nagomi.connection.request(m.Create(id=0, cmd=agent, cwd=str(folder), env=nagomi.env))
        nagomi.attach(200, 60)
        until = time.monotonic() + _PATIENCE
        nagomi.terminal.drain(_SETTLE_SECONDS)
        while watched and _watched(nagomi) < len(folders) and time.monotonic() < until:
            nagomi.terminal.drain(1.0)
        orchestrator = {nagomi.connection.request(m.Status(id=0)).orchestrator.pid}
        cpu, began = cpu_seconds(orchestrator), time.perf_counter()
        echoes = type_keys(nagomi.terminal, keys)
        ls = min(_listed(nagomi) for _ in range(_LISTINGS))
        spent = (cpu_seconds(orchestrator) - cpu) / (time.perf_counter() - began)
        return Taken(ls, echoes.at(0.5), echoes.at(0.95), spent * 100, _watched(nagomi))
    finally:
        nagomi.close()


def _watched(nagomi: Nagomi) -> int:
    sessions = nagomi.connection.request(m.ListSessions(id=0)).sessions
    return sum(one.worktree is not None for one in sessions)


def _listed(nagomi: Nagomi) -> float:
    began = time.perf_counter()
    subprocess.run([_NAGOMI, "ls"], env=nagomi.env, capture_output=True, check=True)
    nagomi.terminal.drain(0.05)
    return (time.perf_counter() - began) * 1000


def _plain(place: Path, count: int) -> list[Path]:
    folders = [place / f"plain/{number}" for number in range(count)]
    for folder in folders:
        folder.mkdir(parents=True)
    return folders


def _worktrees(place: Path, count: int) -> list[Path]:
    """Make a repository with worktrees that have commits, changes, and files that meet."""
    root = place / "root"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    for number in range(_FILES):
        (root / f"file{number}").write_text("a line\n" * 100)
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "first")
    folders = [place / f"root.worktrees/{number}" for number in range(count)]
    for number, folder in enumerate(folders):
        _git(root, "worktree", "add", "-q", "-b", f"branch{number}", str(folder))
        (folder / f"file{number}").write_text("ours\n" * 100)
        _git(folder, "commit", "-qam", "ours")
        (folder / f"file{(number + 1) % _FILES}").write_text("dirty\n" * 100)
    return folders


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *_AUTHOR, "-C", str(folder), *arguments], check=True)
