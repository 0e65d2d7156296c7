"""`make mutants`: put a hundred small faults into the rules, one at a time, and see a test fail for each.

    python -m tests.mutants [--count 100] [--seed N] [--jobs 2] [--only PART-OF-A-PATH]

A script of our own. mutmut leaves alone what stands outside of functions and in decorated ones, and
takes no sample of what it finds; cosmic-ray changes the files of the tree it is run in and runs all
tests for each fault. Both bring packages that nothing else here needs. This one works in copies of
the tree, and runs those tests that enter the function it has changed, the quickest first.

`same.toml` names the mutations that change nothing anyone could see; they are not drawn.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.mutants.mutations import Mutation, keys, mutations, same
from tests.mutants.session import CHILD, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.mutants.mutations import Key

ROOT: Final = Path(__file__).resolve().parents[2]
SAME: Final = Path(__file__).with_name("same.toml")
MUTATED: Final = (
    "nagomi_tui/agents/*.py", "nagomi_tui/alerts/calls.py", "nagomi_tui/alerts/outer_terminal.py",
    "nagomi_tui/judge/**/*.py", "nagomi_tui/masking/**/*.py", "nagomi_tui/sessions/*.py",
    "nagomi_tui/settings/*.py", "nagomi_tui/text/*.py", "nagomi_tui/view/character/faces.py",
)  # fmt: skip
TESTS: Final = (
    "tests/agents", "tests/alerts", "tests/judge", "tests/masking", "tests/sessions", "tests/settings",
    "tests/system", "tests/text", "tests/agent/chat/test_live.py", "tests/api/test_printing.py",
    "tests/guard/test_caller.py", "tests/guard/test_lineage.py", "tests/locale/test_words.py",
    "tests/terminal/test_keys.py", "tests/terminal/test_text.py", "tests/view/test_face.py",
    "tests/view/test_header.py", "tests/view/test_paint_rows.py",
)  # fmt: skip

LONGEST: Final = 60.0
"""Seconds that the tests of one mutation may take, when nothing is wrong."""

_COPIED: Final = (
    "nagomi_tui", "worker", "characters", "config", "tests", "typings", "pyproject.toml",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tests:
    """What the tests of the tree as it is have entered, and their seconds."""

    entered: dict[str, list[str]]
    seconds: dict[str, float]

    def of(self, mutation: Mutation) -> list[str]:
        """Return the tests that could see this fault, the quickest first, as many as time allows."""
        here = {place(mutation.file, mutation.begins), CHILD}
        if mutation.function:
            wanted = [name for name, places in self.entered.items() if here & set(places)]
        else:
            wanted = _near(mutation.file, self.seconds)
        quickest = sorted(wanted, key=self.seconds.__getitem__)
        spent = accumulate(self.seconds[name] for name in quickest)
        return [name for name, sum_ in zip(quickest, spent, strict=True) if sum_ < LONGEST]


def _near(file: str, tests: Iterable[str]) -> list[str]:
    """Return the tests in files that speak of a module; all of them, if none does."""
    word = re.compile(rf"\b{Path(file).stem}\b")
    files = {name.partition("::")[0] for name in tests}
    speaking = {one for one in files if word.search((ROOT / one).read_text("utf-8"))}
    return [name for name in tests if not speaking or name.partition("::")[0] in speaking]


class Tree:
    """A copy of the tree with a Python of its own, so that a test's children load the copy as well."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in _COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        venv.create(folder / ".venv", symlinks=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        ours = (folder, folder / "worker", sysconfig.get_path("purelib"))
        site = folder / ".venv/lib" / version / "site-packages/copy.pth"
        site.write_text("\n".join(map(str, ours)), "utf-8")
        self._session = subprocess.Popen(
            [folder / ".venv/bin/python", "-m", "tests.mutants.session"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """End the process that runs the tests of this copy."""
        self._session.communicate()

    def tests(self) -> Tests:
        """Run every test on the tree as it is.

        Raises:
            RuntimeError: a test fails without any fault.
        """
        said = self._run(TESTS, None, 900)
        if said["code"]:
            raise RuntimeError(f"{said['failed']} fails as the tree is; mend that first.")
        return Tests(said["entered"], said["seconds"])

    def killer(self, mutation: Mutation, tests: Tests) -> str | None:
        """Return the test that fails when this fault is in the tree, or None."""
        wanted = tests.of(mutation)
        if not wanted:
            return None
        path = self.folder / mutation.file
        kept = path.read_text("utf-8")
        try:
            _write(path, mutation.source)
            files = sorted({name.partition("::")[0] for name in wanted})
            said = self._run(files, wanted, 3 * LONGEST)
        finally:
            _write(path, kept)
        return said["failed"] or "(a crash)" if said["code"] else None

    def _run(
        self, files: Sequence[str], wanted: list[str] | None, seconds: float
    ) -> dict[str, Any]:
        assert self._session.stdin is not None and self._session.stdout is not None
        job = {"files": files, "wanted": wanted, "seconds": seconds}
        print(json.dumps(job), file=self._session.stdin, flush=True)
        said: dict[str, Any] = json.loads(self._session.stdout.readline())
        return said


def _write(path: Path, source: str) -> None:
    """Write a module, and forget what was compiled of it: its time may be the same to a second."""
    path.write_text(source, "utf-8")
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def _drawn(count: int, seed: int, only: str) -> list[Mutation]:
    """Draw so many mutations of all that there are, less those that change nothing."""
    known = same(SAME)
    every = [one for one in all_mutations() if only in one.file and one.key not in known]
    return random.Random(seed).sample(every, min(count, len(every)))


def all_mutations() -> list[Mutation]:
    return [mutation for name, source in _sources() for mutation in mutations(name, source)]


def all_keys() -> set[Key]:
    return {key for name, source in _sources() for key in keys(name, source)}


def _sources() -> Iterator[tuple[str, str]]:
    for path in (path for pattern in MUTATED for path in sorted(ROOT.glob(pattern))):
        yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def _told(mutation: Mutation, killer: str | None) -> str:
    change = f"{mutation.before}  →  {mutation.after}"
    return f"{mutation.file}:{mutation.number}: {change}\n    {killer or 'SURVIVED'}"


def _killers(drawn: list[Mutation], jobs: int, folder: Path) -> list[str | None]:
    """Try each in one of so many copies of the tree, and print what became of it."""
    trees: queue.SimpleQueue[Tree] = queue.SimpleQueue()
    for number in range(jobs):
        (copy := folder / str(number)).mkdir()
        trees.put(tree := Tree(copy))
    tests = tree.tests()

    def killer(mutation: Mutation) -> str | None:
        tree = trees.get()
        try:
            killed = tree.killer(mutation, tests)
        finally:
            trees.put(tree)
        print(_told(mutation, killed), flush=True)
        return killed

    try:
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(killer, drawn))
    finally:
        for _ in range(jobs):
            trees.get().close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(100_000))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="only files whose path holds this")
    wanted = parser.parse_args()
    drawn = _drawn(wanted.count, wanted.seed, wanted.only)
    print(f"{len(drawn)} mutations, seed {wanted.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        killers = _killers(drawn, wanted.jobs, Path(folder))
    survivors = [one for one, by in zip(drawn, killers, strict=True) if by is None]
    print(f"\n{len(drawn) - len(survivors)} of {len(drawn)} were found", end="")
    print(f" in {time.monotonic() - began:.0f} s, seed {wanted.seed}. Survivors:")
    for one in survivors:
        print(_told(one, None))
    return int(len(survivors) * 10 > len(drawn))


if __name__ == "__main__":
    sys.exit(main())
