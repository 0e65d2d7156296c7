"""What masking costs a line of ordinary terminal text, with and without secrets in it.

Next to it stands what `str.lower` takes of the same lines in the same run, since machines differ.
"""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui.masking import Masker

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT: Final = Path(__file__).parents[1]
_SECRETS: Final = (
    "export API_TOKEN=" + "aB3dE5fG7hI9" + "jK1lM2nO4pQ6",
    "password: hunter2x",
    "curl -u amy:hunter2x https://x.example.com",
)
_PIECE: Final = 50
"""Lines that come together."""


def main(arguments: list[str]) -> None:
    """Run `masking [every=100] [rounds=5] [commits=30]`: each so many lines hold a secret; 0 for none."""
    options = dict(one.split("=", 1) for one in arguments)
    every, rounds = int(options.get("every", "100")), int(options.get("rounds", "5"))
    lines = _lines(int(options.get("commits", "30")))
    chance = random.Random(3)
    for at in range(0, len(lines) if every else 0, max(every, 1)):
        lines.insert(at, chance.choice(_SECRETS))
    taken = _seconds(rounds, lambda: _mask(lines))
    bare = _seconds(rounds, lambda: [line.lower() for line in lines])
    print(
        f"{len(lines)} lines, {taken / len(lines) * 1e6:.1f} µs each, {taken / bare:.0f} times `lower`"
    )


def _lines(commits: int) -> list[str]:
    """Return lines of source, pages, diffs and results of tests."""
    log = ["git", "log", "-p", "--no-color", f"-n{commits}"]
    shown = subprocess.run(log, cwd=_ROOT, capture_output=True, check=True).stdout
    sources = [*_ROOT.glob("nagomi_tui/judge/*.py"), *_ROOT.glob("docs/*.md")]
    texts = [path.read_text("utf-8") for path in sorted(sources)]
    tests = [f"tests/test_{n % 37}.py::test_case_{n}[value-{n}] PASSED" for n in range(1500)]
    return [
        *shown.decode("utf-8", "replace").split("\n")[:8000],
        *"\n".join(texts).split("\n"),
        *tests,
    ]


def _mask(lines: list[str]) -> None:
    masker = Masker(width=120)
    for at in range(0, len(lines), _PIECE):
        masker.lines(lines[at : at + _PIECE])


def _seconds(rounds: int, work: Callable[[], object]) -> float:
    """Return the least processor time of the rounds."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best
