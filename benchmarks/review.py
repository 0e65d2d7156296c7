"""How soon a review of many changes stands on the screen beside `git diff`, and how it scrolls."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.tools.multiplexers import Nagomi
from nagomi_tui.api import messages as m

_LEADER = b"\x1d"
_PAGE = b"\x1b[6~"
_QUIET_SECONDS = 0.15
"""A frame is over when nothing more was printed for so long."""
_FRAME_MS = 1000 / 30


def main(arguments: list[str]) -> None:
    """Run `review [files=200] [lines=10000] [rounds=7] [pages=60]`."""
    options = {"files": "200", "lines": "10000", "rounds": "7", "pages": "60"}
    options |= dict(one.split("=", 1) for one in arguments)
    files, lines = int(options["files"]), int(options["lines"])
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        _prepare(root, files, lines)
        nagomi = Nagomi([], attach=False)
        try:
            nagomi.connection.request(
                m.Create(id=0, cmd="sleep 3600", cwd=str(root), env=nagomi.env, cols=198, rows=50)
            )
            nagomi.attach(200, 50)
            _open(nagomi, root, int(options["rounds"]))
            _scroll(nagomi, int(options["pages"]))
        finally:
            nagomi.close()


def _prepare(root: Path, files: int, lines: int) -> None:
    """Commit files of Python, then change every fifth line or so: one added for each removed."""
    root.mkdir()
    each = max(1, lines // files // 2)
    source = [f"    value_{n} = compute('{n}', {n} + 1)  # line {n}" for n in range(each * 6)]
    git = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for number in range(files):
        (root / f"module_{number:04}.py").write_text("\n".join(source) + "\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    changed = [
        line.replace("compute", "measure") if n % 6 == 0 else line for n, line in enumerate(source)
    ]
    for number in range(files):
        (root / f"module_{number:04}.py").write_text("\n".join(changed) + "\n")


def _open(nagomi: Nagomi, root: Path, rounds: int) -> None:
    terminal, peers, ours = nagomi.terminal, [], []
    for _ in range(rounds):
        began = time.perf_counter()
        shown = subprocess.run(["git", "-C", str(root), "diff"], capture_output=True, check=True)
        peers.append((time.perf_counter() - began) * 1000)
        terminal.drain(0.5)
        began = time.perf_counter()
        terminal.write(_LEADER + b"D")
        if not terminal.until(b"measure", 20):
            raise RuntimeError("no review was drawn within 20 s")
        ours.append((time.perf_counter() - began) * 1000)
        terminal.drain(1.0)
        terminal.write(b"q")
        terminal.drain(0.5)
    changed = sum(line[:1] in (b"+", b"-") for line in shown.stdout.splitlines())
    mine, theirs = statistics.median(ours), statistics.median(peers)
    print(
        f"{changed} lines: review on screen {mine:.0f} ms (best {min(ours):.0f}, worst {max(ours):.0f}), "
        f"git diff alone {theirs:.0f} ms, ratio {mine / theirs:.2f}"
    )


def _scroll(nagomi: Nagomi, pages: int) -> None:
    """Press a key for the next page; the time until its last byte tells how long the frame took."""
    terminal = nagomi.terminal
    terminal.write(_LEADER + b"D")
    terminal.until(b"measure", 20)
    terminal.drain(1.0)
    took = []
    for _ in range(pages):
        began = last = time.perf_counter()
        terminal.write(_PAGE)
        first = None
        while time.perf_counter() - last < _QUIET_SECONDS:
            if terminal.read(0.01):
                last = time.perf_counter()
                first = first or last
        took.append(((first or last) - began) * 1000)
    took.sort()
    late = sum(one > _FRAME_MS for one in took)
    print(
        f"next page: first bytes of its frame p50 {took[len(took) // 2]:.1f} ms, "
        f"p95 {took[int(len(took) * 0.95)]:.1f} ms, worst {took[-1]:.1f} ms; "
        f"{late} of {pages} later than {_FRAME_MS:.0f} ms"
    )
