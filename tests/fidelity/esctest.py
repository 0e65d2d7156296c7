"""Runs esctest2 as the child of a real session, and compares with the list of known failures.

`python -m tests.fidelity.esctest CHECKOUT [--include REGEX] [--write]`; the checkout is of
ThomasDickey/esctest2. Worker, orchestrator and engine answer the queries as in daily use.
Two kinds of request nagomi does not answer to anybody, since a program has no business with
them: checksums of the screen (DECRQCRA), and window operations that move or resize. These are
answered on the way, in `tests.fidelity.between`, from the rows that the orchestrator gives.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.fidelity.esctest_list import LIST, Known, read, render
from tests.helpers.workplace import create, session, text_of, until, workplace

ROOT: Final = Path(__file__).resolve().parents[2]
VT_LEVEL: Final = 4
_RUN: Final = re.compile(r"Run test: (\S+)\n(.*?)(?=Run test: |\Z)", re.DOTALL)


def outcomes(log: str) -> dict[str, str]:
    """Return what became of each test: `passed`, `skipped`, or the last line of its failure."""
    found = {}
    for name, said in _RUN.findall(log):
        if "Passed." in said:
            found[name] = "passed"
        elif "Fails as expected" in said or "Skipped because" in said:
            found[name] = "skipped"
        else:
            errors = re.findall(r"^esctypes\.\w+: .*|^\w+Error: .*", said, re.MULTILINE)
            found[name] = errors[-1] if errors else "did not end"
    return found


def run(checkout: Path, include: str, seconds: float) -> dict[str, str]:
    """Run the tests in a workplace of their own."""
    with tempfile.TemporaryDirectory(prefix="ng", dir="/tmp") as folder, workplace() as place:
        log = Path(folder) / "log"
        command = [sys.executable, "-m", "tests.fidelity.between", str(checkout), str(log), include]
        with place.connect() as connection:
            name = create(connection, shlex.join(command), cwd=str(ROOT), cols=80, rows=25)
            until(lambda: session(connection, name)["engine"])
            assert session(connection, name)["engine"].startswith("ghostty")
            until(lambda: session(connection, name)["state"] == "exited", patience=seconds)
            if session(connection, name)["exit_code"] or not log.exists():
                raise SystemExit(text_of(connection, name, history=True))
        return outcomes(log.read_text(errors="replace"))


def compare(found: dict[str, str], known: Known) -> list[str]:
    """Return what differs from the list, as lines for people."""
    failing = {name for name, how in found.items() if how not in ("passed", "skipped")}
    new = [f"fails, and is not on the list: {n}: {found[n]}" for n in sorted(failing - set(known))]
    gone = [n for n in sorted(set(known) - failing) if n in found]
    return new + [f"is on the list, and passes: {n}" for n in gone]


def main() -> int:
    """Run, print the figures and the differences; 1 when there are any."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--include", default=".*", help="regex of the tests to run")
    parser.add_argument("--write", action="store_true", help="write the list anew")
    parser.add_argument("--seconds", type=float, default=1800.0, help="give up after this long")
    options = parser.parse_args()
    started = time.monotonic()
    found = run(options.checkout.resolve(), options.include, options.seconds)
    known = read()
    counts = [sum(how == kind for how in found.values()) for kind in ("passed", "skipped")]
    print(
        f"{counts[0]} passed, {len(found) - sum(counts)} failed, {counts[1]} skipped "
        f"of {len(found)} in {time.monotonic() - started:.0f} s"
    )
    if options.write:
        LIST.write_text(render(found, known))
    differences = compare(found, known)
    print("\n".join(differences) or "exactly as listed")
    return bool(differences)


if __name__ == "__main__":
    os.environ.setdefault("LANG", "C.UTF-8")
    sys.exit(main())
