"""Something is visible at once, and a refusal leaves the screen as it was."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.command import NAGOMI
from tests.helpers.workplace import create, workplace

if TYPE_CHECKING:
    from pathlib import Path

NAME = b"n a g o m i"


def printed(*arguments: str, env: dict[str, str]) -> bytes:
    """Run a program on a terminal to its end, and return what it printed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(arguments[0], arguments, {**os.environ, "TERM": "xterm-256color", **env})
    found = b""
    while True:
        try:
            found += os.read(fd, 65536)
        except OSError:
            break
    os.close(fd)
    os.waitpid(pid, 0)
    return found


def test_the_name_is_drawn_first_and_goes_before_a_complaint(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    shown = printed(*NAGOMI, env={"NAGOMI_HOME": str(in_the_way), "NAGOMI_LANG": "en"})
    assert shown.index(NAME) < shown.index(b"\x1b[?1049l\x1b[?25h") < shown.index(b"nagomi: ")


def test_other_commands_and_dumb_terminals_get_no_picture(tmp_path: Path) -> None:
    assert NAME not in printed(*NAGOMI, "--version", env={})
    assert NAME not in printed(*NAGOMI, env={"TERM": "dumb", "NAGOMI_HOME": str(tmp_path)})


def test_the_picture_needs_nothing_to_be_loaded() -> None:
    code = "import sys; old = set(sys.modules); import nagomi_tui.commands.start.splash; print(*set(sys.modules) - old)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    packages = {b"nagomi_tui", b"nagomi_tui.commands", b"nagomi_tui.commands.start"}
    assert set(done.stdout.split()) == packages | {b"nagomi_tui.commands.start.splash"}


def test_the_first_picture_has_the_tiles_in_it() -> None:
    with workplace() as place, place.connect() as connection:
        for name in ("one", "two"):
            create(connection, "sleep 600", name=name)
        home = {"NAGOMI_HOME": str(place.home), "NAGOMI_LANG": "en"}
        with BareTerminal(NAGOMI, {**os.environ, "TERM": "xterm-256color", **home}) as terminal:
            terminal.wait(b"two")
            # Where the orchestrator is slow to answer, the bars are drawn once without tiles.
            assert terminal.got[: terminal.got.index(b"one")].count(b"Overview") <= 2
