"""What a call of the guard's hook takes, beside a bare Python: time, and processor time."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CASES: dict[str, tuple[str, dict[str, str]]] = {
    "a tool that only reads": ("Read", {"file_path": "x"}),
    "a tool that writes": ("Write", {"file_path": "x", "content": "x"}),
    "a shell command": ("Bash", {"command": "git log --oneline | head -n 20 && ls -la src"}),
    "a shell command denied": ("Bash", {"command": "cd src && npm install && git commit -am x"}),
    "a list of todos": (
        "TodoWrite",
        {"todos": [{"content": "x", "status": "pending", "activeForm": "x"}]},
    ),
}


def main(arguments: list[str]) -> None:
    """Run `guard [rounds=40]`."""
    options = dict(one.split("=", 1) for one in arguments)
    rounds = int(options.get("rounds", "40"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        (root / ".claude").mkdir(parents=True)
        env = {
            "PATH": os.environ["PATH"], "HOME": folder, "NAGOMI_HOME": f"{folder}/nagomi",
            "CLAUDE_PROJECT_DIR": str(root),
        }  # fmt: skip
        _print(root, env, rounds)


def _print(root: Path, env: dict[str, str], rounds: int) -> None:
    """Take all in turn, so that whatever else the machine does falls on each alike."""
    from nagomi_tui.guard.install.hooks import handler

    hook = handler("claude", "PreToolUse")
    bare = [sys.executable, "-I", "-c", "pass"]
    calls: dict[str, tuple[list[str], bytes]] = {"python -I -c pass": (bare, b"")}
    for name, (tool, given) in CASES.items():
        event: dict[str, Any] = {
            "hook_event_name": "PreToolUse", "cwd": str(root), "session_id": "s",
            "tool_name": tool, "tool_input": given,
        }  # fmt: skip
        calls[name] = ([hook["command"], *hook["args"]], json.dumps(event).encode())
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, (argv, data) in calls.items():
            taken = _taken(argv, data, root, env)
            if number:  # The first writes what Python keeps of its modules, and the state.
                seen[name].append(taken)
    least = [statistics.median(one[at] for one in seen["python -I -c pass"]) for at in (0, 1)]
    for name, found in seen.items():
        whole, busy = (statistics.median(one[at] for one in found) for at in (0, 1))
        print(
            f"{name:24} {whole * 1000:6.1f} ms, {whole / least[0]:4.2f} times bare; "
            f"processor {busy * 1000:6.1f} ms, {busy / least[1]:4.2f} times bare"
        )


def _taken(argv: list[str], data: bytes, root: Path, env: dict[str, str]) -> tuple[float, float]:
    """Return the seconds until it ended, and those of processor time."""
    before, began = _used(), time.perf_counter()
    subprocess.run(argv, input=data, env=env, cwd=root, capture_output=True, check=True)
    return time.perf_counter() - began, _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
