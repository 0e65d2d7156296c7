"""A program that says more than anybody reads, beside two front ends whose users go on working."""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.copying import fake
from tests.helpers.flooding import command
from tests.helpers.outer import Outer
from tests.helpers.workplace import create, session, until, wait_for, workplace

if TYPE_CHECKING:
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

SECONDS = 4.0


def told(pid: int, what: str) -> int:
    """Return a number from a process's status, such as its `Threads`."""
    found = re.search(rf"^{what}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


def front_ends(place: Place) -> list[int]:
    return [pid for pid, line in place.pids().items() if line.strip().endswith("-m nagomi_tui")]


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["title", "clipboard", "mixed"])
def test_a_flood_disturbs_nobody(kind: str, tmp_path: Path) -> None:
    fake(tmp_path / "bin", "xclip", "cat > /dev/null; sleep 1\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")}
    env |= {"TERM": "xterm-256color", "NAGOMI_LANG": "en", "NAGOMI_ZYGOTE": "0", "DISPLAY": ":9"}
    env["PATH"] = f"{tmp_path / 'bin'}:{env['PATH']}"
    nagomi = [sys.executable, "-m", "nagomi_tui"]
    with workplace() as place, place.connect() as connection, ExitStack() as outer:
        env["NAGOMI_HOME"] = str(place.home)
        create(connection, "cat", name="near")
        flooding = create(connection, command(kind, SECONDS), name="flooding")
        grid, chat = (outer.enter_context(Outer(nagomi, env, cols=100, rows=30)) for _ in range(2))
        for terminal in (grid, chat):
            terminal.wait("flooding")
        chat.keys("C-]", "2")
        chat.keys("C-]", "v")
        chat.wait("Write to flooding")
        chat.keys("C-]", "i")
        chat.wait("keys → program flooding")
        grid.keys("C-]", "1")
        grid.wait("keys → near")
        pids = [*front_ends(place), place.orchestrator]
        before = {pid: (told(pid, "VmRSS"), told(pid, "Threads")) for pid in pids}
        chat.keys("Enter")
        slowest, number, began = 0.0, 0, time.monotonic()
        while time.monotonic() < began + SECONDS:
            number += 1
            typed = time.monotonic()
            grid.type(f"k{number}z")
            grid.wait(f"k{number}z")
            slowest = max(slowest, time.monotonic() - typed)
            grid.keys("Enter")
            grid.wait(lambda shown, line=f"k{number}z": shown.count(line) == 2, what="its echo")
        wait_for(connection, flooding, "^over [0-9]+")
        until(lambda: session(connection, flooding)["title"].startswith("the last of"))
        grid.type("and after")
        grid.wait("and after", timeout=2.0)
        assert slowest < 2.0
        for pid, (memory, threads) in before.items():
            assert told(pid, "VmRSS") < memory + 40_000
            assert told(pid, "Threads") <= threads + 2
