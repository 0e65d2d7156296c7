"""How many shell commands a second are told to read or to write, in one process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CORPUS = Path(__file__).parents[1] / "tests/shell"
_FIRST = "from nagomi_tui.shell.classifier import classify; classify('git log | head')"


def main(arguments: list[str]) -> None:
    """Run `commands [rounds=5]`."""
    from nagomi_tui.shell.classifier import classify

    options = dict(one.split("=", 1) for one in arguments)
    lines = "\n".join(
        (_CORPUS / name).read_text().strip() for name in ("commands.jsonl", "held_out.jsonl")
    )
    commands = [json.loads(line)["command"] for line in lines.split("\n")]
    seconds = min(_taken(classify, commands) for _ in range(int(options.get("rounds", "5"))))
    print(
        f"{len(commands) / seconds:8,.0f} commands a second of processor time, of {len(commands)}"
    )
    bare, first = (min(_started(code) for _ in range(7)) for code in ("pass", _FIRST))
    print(f"{first / bare:8.1f} times a bare Python, from its start to the first answer")


def _taken(classify: Callable[[str], object], commands: list[str]) -> float:
    began = time.process_time()
    for command in commands:
        classify(command)
    return time.process_time() - began


def _started(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - began
