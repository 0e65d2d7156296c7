"""How long commands take from their start to their end, beside a Python that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

_NAGOMI: Final = (str(Path(sys.executable).with_name("nagomi")),)
_COMMANDS: Final = (("--help",), ("ls",), ("next",), ("why", "1"), ("doctor",))


def main(arguments: list[str]) -> None:
    """Run `command_line [rounds=10]`: the quickest of all rounds, in ms and as a ratio."""
    options = dict(one.split("=", 1) for one in arguments)
    rounds = int(options.get("rounds", "10"))
    with TemporaryDirectory() as home:
        env = dict(os.environ, NAGOMI_HOME=home, NAGOMI_LANG="en")
        try:
            _run((*_NAGOMI, "new", "--", "sleep", "600"), env)
            bare = (sys.executable, "-I", "-c", "pass")
            told = {bare: "an empty Python"} | {
                (*_NAGOMI, *one): f"nagomi {' '.join(one)}" for one in _COMMANDS
            }
            quickest = {one: min(_run(one, env) for _ in range(rounds)) for one in told}
            for one, name in told.items():
                seconds = quickest[one]
                print(f"{seconds * 1000:8.1f} ms  {seconds / quickest[bare]:5.1f}  {name}")
        finally:
            _run((*_NAGOMI, "quit", "--yes"), env)


def _run(command: tuple[str, ...], env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=env, capture_output=True, check=False)
    return time.perf_counter() - began
