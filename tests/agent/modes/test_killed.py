"""A change of mode that is killed at any point is repeated, or was finished; nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.agent.modes.git import Git
from nagomi_tui.agent.modes.mode import Thread
from nagomi_tui.agent.modes.modes import Modes
from nagomi_tui.agent.modes.notes import Notes, ensure_workspace
from nagomi_tui.text import words
from tests.helpers.repository import git
from tests.helpers.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.agent.modes.mode import AgentMode
    from nagomi_tui.agent.modes.modes import ModeReport

pytestmark = pytest.mark.slow

_CHILD = """
import json, os, signal, sys
from nagomi_tui.system import files
from nagomi_tui.agent.modes.git import Git
from tests.agent.modes.test_killed import change

points = 0

def point():
    global points
    points -= 1
    if points < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def around(function):
    def called(*given, **named):
        point()
        done = function(*given, **named)
        point()
        return done
    return called

def around_async(function):
    async def called(*given, **named):
        point()
        done = await function(*given, **named)
        point()
        return done
    return called

os.replace = around(os.replace)
os.fsync = around(os.fsync)
Git.run = around_async(Git.run)
for line in sys.stdin:
    home, to, points = json.loads(line)
    if not (child := os.fork()):
        try:
            assert change(home, to).ok
            os._exit(0)
        finally:
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Makes a change in a child of its own for each line, and kills that at a point."""


async def _aware() -> tuple[Thread, ...]:
    return (Thread("api", "running"),)


def _modes(home: Path) -> Modes:
    return Modes(
        Notes(home / "agent", mask=str),
        home / "mode.json",
        Git(),
        awareness=_aware,
        now=lambda: 1772013600.0,
        words=words.of("en"),
    )


def change(home: str, to: str) -> ModeReport:
    """Change the mode of the agent whose files lie there."""
    return anyio.run(_modes(Path(home)).change, to)


def _prepared(home: Path, mode: AgentMode) -> None:
    anyio.run(partial(ensure_workspace, home / "agent", Git()))
    modes = _modes(home)
    anyio.run(modes.change, "reserved")
    modes.keep_inner("a thought", route="loop")
    if mode != "reserved":
        (home / "mode.json").write_text(f'{{"mode":"{mode}"}}')


def _killed(home: Path, mode: AgentMode, to: AgentMode) -> Iterator[Path]:
    """Yield the files after a kill at each point of the change; the last change has none."""
    _prepared(home / "first", mode)
    with subprocess.Popen(
        [sys.executable, "-c", _CHILD],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as changing:  # fmt: skip
        assert changing.stdin is not None and changing.stdout is not None
        for points in range(200):
            copy = home / str(points)
            shutil.copytree(home / "first", copy)
            print(json.dumps([str(copy), to, points]), file=changing.stdin, flush=True)
            code = int(changing.stdout.readline())
            yield copy
            if code == 0:
                assert points > 4
                return
            assert code == -signal.SIGKILL
            shutil.rmtree(copy)
    raise AssertionError("the change does not end")


@pytest.mark.requirement("MB-2", "MB-3")
def test_a_commit_that_is_killed_anywhere_loses_no_note(tmp_path: Path) -> None:
    for home in _killed(tmp_path, "reserved", "autonomous"):
        before = _modes(home)
        kept = (home / "agent/memory/inner-notes.md").read_text()
        assert kept == "a thought\n" or _committed(home) == "a thought\n"
        report = anyio.run(before.change, "autonomous")
        assert report.ok and report.mode == "autonomous" and before.fault == ""
        assert _committed(home) == "a thought\n"
        assert (home / "agent/memory/inner-notes.md").read_text() == ""
        assert git(home / "agent", "rev-list", "--count", "HEAD").strip() == "1"
        assert git(home / "agent", "status", "--porcelain").split() == ["M"] + [
            "memory/inner-notes.md",
            "??",
            "NEXT.md",
        ]


def _committed(home: Path) -> str:
    if not git(home / "agent", "for-each-ref"):
        return ""
    return git(home / "agent", "show", "HEAD:memory/inner-notes.md")


@pytest.mark.requirement("MB-2")
def test_a_snapshot_that_is_killed_anywhere_is_taken_again(tmp_path: Path) -> None:
    for home in _killed(tmp_path, "autonomous", "reserved"):
        modes = _modes(home)
        report = anyio.run(modes.change, "reserved")
        assert report.ok and report.mode == "reserved"
        assert "- api (running)" in modes.sections() and "a thought" in modes.sections()


@pytest.mark.requirement("MB-2")
def test_a_change_without_steps_that_is_killed_is_done_or_not(tmp_path: Path) -> None:
    for home in _killed(tmp_path, "reserved", "calm"):
        modes = _modes(home)
        assert modes.mode in ("reserved", "calm") and modes.fault == ""
        assert anyio.run(modes.change, "calm").mode == "calm"
        assert "a thought" in modes.sections()
