"""Runs of pytest in a copy of the tree: `python -m tests.mutants.session`, in its folder.

Each line of the standard input is a job, each line of the standard output says how it went. A job is
run in a fork of this process, which has loaded all that the tests load but for nagomi and themselves.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = "nagomi_tui"
CHILD: Final = "(a child)"
"""Stands among what was entered for a process of the test's own, whose functions are not seen."""

_OURS: Final = (PACKAGE, "nagomi_worker", "tests", "conftest", "__main__")
_OPTIONS: Final = (
    "-x", "--tb=no", "--assert=plain", "--reruns=0", "--hypothesis-seed=0",
    "-p", "no:cacheprovider",
)  # fmt: skip
_MEMORY: Final = 1 << 32
"""Bytes: a fault may make a list grow for ever."""


class Recorder:
    """Notes which functions each test enters, also those that its file enters when it is loaded."""

    def __init__(self) -> None:
        self._entered: dict[str, set[CodeType]] = {}
        self._seconds: dict[str, float] = {}
        self._now: set[CodeType] = set()
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def _enter(self, frame: FrameType, event: str, arg: object) -> None:
        self._now.add(frame.f_code)

    def _note(self, name: str) -> None:
        self._now = self._entered.setdefault(name, set())
        sys.settrace(self._enter)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[None]:
        self._note(collector.nodeid.partition("::")[0])
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        _forget()
        self._note(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0) + report.duration

    def result(self) -> dict[str, Any]:
        """Return the places that each test entered, its seconds, and what was loaded beside us."""
        sys.settrace(None)
        places = {name: _places(codes) for name, codes in self._entered.items()}
        entered = {
            name: sorted(places[name] | places.get(name.partition("::")[0], set()))
            for name in self._seconds
        }
        modules = [name for name in sys.modules if not name.startswith(_OURS)]
        return {"entered": entered, "seconds": self._seconds, "modules": modules}


class Chooser:
    """Keeps the tests that are wanted."""

    def __init__(self, wanted: list[str]) -> None:
        self._rank = {name: rank for rank, name in enumerate(wanted)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [item for item in items if item.nodeid in self._rank]
        items[:] = sorted(kept, key=lambda item: self._rank[item.nodeid])


def place(file: str, line: int) -> str:
    """Name a function by its file and the line of its first decorator, or of its `def`."""
    return f"{file}:{line}"


def _places(codes: set[CodeType]) -> set[str]:
    found = {CHILD} if subprocess.Popen.__init__.__code__ in codes else set()
    for code in codes:
        with suppress(ValueError):
            file = Path(code.co_filename).relative_to(ROOT).as_posix()
            if file.startswith(PACKAGE):
                found.add(place(file, code.co_firstlineno))
    return found


def _forget() -> None:
    """Empty every cache of the package, or only the first test that asks would enter what is behind."""
    for name, module in list(sys.modules.items()):
        if name.startswith(PACKAGE):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


class Failures:
    """Remembers the first test that failed."""

    first: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed:
            self.first = self.first or report.nodeid


def _session(job: dict[str, Any], result: Path) -> int:
    """Be the fork: run the tests of a job, and leave its result in a file."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    told = os.open("told.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(told, 1)
    os.dup2(told, 2)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    failures = Failures()
    recorder = Recorder() if job["wanted"] is None else None
    plugin = recorder or Chooser(job["wanted"])
    code = pytest.main([*_OPTIONS, *job["files"]], plugins=[failures, plugin])
    said: dict[str, Any] = {"code": code, "failed": failures.first}
    if recorder is not None:
        said |= recorder.result()
    result.write_text(json.dumps(said), "utf-8")
    return code


def _forked(job: dict[str, Any]) -> dict[str, Any]:
    result = Path("result.json")
    result.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        os._exit(_session(job, result))
    ends = time.monotonic() + job["seconds"]
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > ends:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return {"code": 1, "failed": "(not done in time)"}
        time.sleep(0.005)
    if not result.exists():
        return {"code": 1, "failed": "(a crash)"}
    said: dict[str, Any] = json.loads(result.read_text("utf-8"))
    return said


def main() -> int:
    for line in sys.stdin:
        said = _forked(json.loads(line))
        for name in said.get("modules", ()):
            with suppress(Exception):
                importlib.import_module(name)
        print(json.dumps(said), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
