"""What an interpreter in the foreground runs, so that an agent behind it is known."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from nagomi_tui.judge.evidence import Foreground, View, Wait
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.senses.processes import ProcessReader, Sample
from nagomi_worker.pty.activity import Process
from nagomi_worker.pty.activity_linux import look
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.judge_story import BOOK
from tests.helpers.waiting import until


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is read")
@pytest.mark.parametrize(
    ("before", "after", "script"),
    [
        ([sys.executable, "-I"], [], "{path}"),
        ([sys.executable, "-m"], [], "http.server"),
        (["node", "--no-warnings"], ["--secret", "x"], "{path}"),
    ],
)
def test_its_script_is_told_and_no_argument(
    tmp_path: Path, before: list[str], after: list[str], script: str
) -> None:
    program = shutil.which(before[0])
    if program is None:
        pytest.skip(f"{before[0]} is not installed")
    path = tmp_path / "gemini"
    node = "setInterval(() => {}, 1000)"
    path.write_text(node if before[0] == "node" else "import time\ntime.sleep(60)\n")
    run = script.format(path=path)
    more = ["0"] if run == "http.server" else after
    with BareTerminal([program, *before[1:], run, *more], os.environ) as terminal:

        def scripts() -> list[str]:
            seen = look(terminal.fd, terminal.pid)
            return [one.script for one in seen.procs if one.script] if seen else []

        assert until(lambda: scripts() == [run])


@pytest.mark.parametrize(
    ("command", "script", "name"),
    [
        ("bash", "/usr/local/bin/gemini", "gemini"),
        ("bash", "/x/_npx/1a/node_modules/@google/gemini-cli/dist/index.js", "gemini"),
        ("./start.sh", "/usr/lib/node_modules/.bin/qwen", "qwen"),
        ("bash", "aider", "aider"),
        ("bash", "/srv/app/server.js", None),
        ("bash start.sh", "/srv/app/server.js", "shell"),
    ],
)
def test_an_agent_behind_an_interpreter_is_known(
    command: str, script: str, name: str | None
) -> None:
    living = (Process(7, "node", "S", script=script),)
    seen = ProcessReader().read(Sample(t=1.0, fg=7, icanon=False, procs=living))
    assert seen is not None and isinstance(seen, Foreground)
    judge = Judge(command, BOOK, at=0.0)
    judge.feed(View(at=0.5, rows=("",)))
    judge.feed(seen)
    found = judge.agent
    assert (found.name if found else None) == (None if name == "shell" else name)
    assert seen.wait is Wait.NOTHING
