"""The committed list of esctest2's failures: `Class.test_name  reason`, under a head of figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, TypeAlias

Known: TypeAlias = dict[str, str]

LIST: Final = Path(__file__).with_name("esctest_failures.txt")
UNEXPLAINED: Final = "unexplained"
_LINE: Final = re.compile(r"(\w+\.test_\w+)  (\S.*)")
_FIGURES: Final = re.compile(
    r"# (?P<passed>\d+) passed, (?P<failed>\d+) failed, (?P<skipped>\d+) skipped of (?P<all>\d+)"
)


def read(path: Path = LIST) -> Known:
    """Return the reason for each failing test.

    Raises:
        ValueError: a line is no such line, or a test stands there twice.
    """
    known: Known = {}
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if not found or found[1] in known:
            raise ValueError(f"{path.name}, line {number}: {line}")
        known[found[1]] = found[2]
    return known


def figures(path: Path = LIST) -> dict[str, int]:
    """Return the figures in the list's head."""
    found = _FIGURES.search(path.read_text())
    if not found:
        raise ValueError(f"{path.name} has no figures in its head")
    return {name: int(value) for name, value in found.groupdict().items()}


def render(found: dict[str, str], known: Known) -> str:
    """Return the list as of a run; a failure without a known reason keeps what it said."""
    passed = sum(how == "passed" for how in found.values())
    skipped = sum(how == "skipped" for how in found.values())
    failed = sorted(name for name, how in found.items() if how not in ("passed", "skipped"))
    head = [
        "# Tests of esctest2 that fail in a session with the default engine, each with its reason.",
        "# `python -m tests.fidelity.esctest CHECKOUT` compares; VT level 4, expecting xterm.",
        f"# {passed} passed, {len(failed)} failed, {skipped} skipped of {len(found)}",
        "",
    ]
    lines = [f"{name}  {known.get(name) or f'{UNEXPLAINED}: {found[name]}'}" for name in failed]
    return "\n".join(head + lines) + "\n"
