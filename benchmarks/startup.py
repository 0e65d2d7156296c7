"""From `exec` to something visible and to the first full frame; and the start of the residents."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.tools.multiplexers import Nagomi, Tmux, load_program
from benchmarks.tools.processes import cpu_seconds
from benchmarks.tools.terminal import OuterTerminal
from nagomi_tui.system import folders

_SETTLED_AFTER = 3.0
"""Seconds after which residents that have started are at rest."""
_PROMPT = b"133;B"
"""The end of nagomi chat's prompt."""
_REACHED = b"calm"
"""The agent's mode, which stands beside the prompt once it is reached."""


def first_frame(terminal: OuterTerminal, mark: bytes) -> float:
    """Return the seconds from the program's start until `mark` was drawn."""
    seen = b""
    while mark not in seen:
        seen = seen[-8192:] + terminal.read(5)
        if time.perf_counter() - terminal.started > 10:
            raise RuntimeError("nothing was drawn within 10 s")
    return time.perf_counter() - terminal.started


def await_zygote(multiplexer: Nagomi) -> None:
    """Return when the zygote of front ends serves."""
    place = Path(folders.sockets()) / "zygote"
    end = time.monotonic() + 60
    while not place.exists():
        if time.monotonic() > end:
            raise RuntimeError("no zygote came up within a minute")
        time.sleep(0.1)


def measure(
    name: str, argv: list[str], env: dict[str, str], rounds: int, mark: bytes = b"quiet"
) -> float:
    """Start a front end some times, print what it took until `mark`, and return it in ms."""
    visible, full = [], []
    for _ in range(rounds):
        terminal = OuterTerminal(argv, env)
        full.append(first_frame(terminal, mark) * 1000)
        visible.append((terminal.first_byte or 0) * 1000)
        terminal.drain(0.5)
        terminal.close()
    print(
        f"{name:20} something visible {statistics.median(visible):.0f} ms, "
        f"first frame {statistics.median(full):.0f} ms "
        f"(best {min(full):.0f}, worst {max(full):.0f}; Python {sys.version.split()[0]})",
        flush=True,
    )
    return statistics.median(full)


def measure_residents(rounds: int) -> None:
    """Print what it takes until the first session runs where no resident is up, beside tmux."""
    took, worked, other = [], [], []
    for _ in range(rounds):
        began = time.perf_counter()
        nagomi = Nagomi(["sleep 60"], attach=False)
        took.append((time.perf_counter() - began) * 1000)
        try:
            time.sleep(_SETTLED_AFTER)
            worked.append(cpu_seconds(nagomi.residents()))
        finally:
            nagomi.close()
        other.append(tmux_alone() * 1000)
    print(
        f"{'residents':20} first session runs after {statistics.median(took):.0f} ms "
        f"(best {min(took):.0f}, worst {max(took):.0f}; tmux {statistics.median(other):.0f}), "
        f"processor time within {_SETTLED_AFTER:g} s {statistics.median(worked):.2f} s",
        flush=True,
    )


def tmux_alone() -> float:
    """Return the seconds in which tmux starts its server and a first session, and end it."""
    with tempfile.TemporaryDirectory() as folder:
        argv = ["tmux", "-S", f"{folder}/socket", "-f", "/dev/null"]
        began = time.perf_counter()
        subprocess.run([*argv, "new-session", "-d", "sleep 60"], check=True)
        took = time.perf_counter() - began
        subprocess.run([*argv, "kill-server"], check=True)
    return took


def measure_chat(nagomi: Nagomi, rounds: int) -> None:
    """Print what `nagomi chat` takes to its prompt beside an idle Python, its agent down, then up."""
    argv, bare = [*nagomi.attach_argv(), "chat"], []
    terminal = OuterTerminal(argv, nagomi.env)
    cold = first_frame(terminal, _PROMPT) * 1000
    reached = first_frame(terminal, _REACHED) * 1000
    terminal.close()
    print(
        f"{'nagomi chat, no agent':20} prompt {cold:.0f} ms, reached {reached:.0f} ms", flush=True
    )
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
        bare.append((time.perf_counter() - began) * 1000)
    took, python = (
        measure("nagomi chat", argv, nagomi.env, rounds, _PROMPT),
        statistics.median(bare),
    )
    print(f"{'':20} {took / python:.0f} times `python -I -c pass` ({python:.0f} ms)", flush=True)


def main(arguments: list[str]) -> None:
    """Run `startup [rounds=10]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    rounds = int(options.get("rounds", "10"))
    measure_residents(rounds)
    commands = [f"{load_program()} quiet"] * 4
    nagomi = Nagomi(commands)
    try:
        await_zygote(nagomi)
        measure("nagomi", nagomi.attach_argv(), nagomi.env, rounds)
        alone = nagomi.env | {"NAGOMI_ZYGOTE": "0"}
        measure("nagomi, no zygote", nagomi.attach_argv(), alone, rounds)
        measure_chat(nagomi, rounds)
    finally:
        nagomi.close()
    tmux = Tmux(commands)
    try:
        measure("tmux", tmux.attach_argv(), tmux.env, rounds)
    finally:
        tmux.close()
