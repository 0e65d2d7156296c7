"""Real programs in the workplace: usable zoomed and in a lane, shown cropped in a tile."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.helpers.outer import Outer
from tests.helpers.workplace import Place, create, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


@contextmanager
def front_end(
    place: Place, cols: int, rows: int, *program: str, typed: str = ""
) -> Iterator[Outer]:
    """Run the front end, or a program in its place; `typed` is typed at once."""
    env = {name: os.environ[name] for name in ("PATH", "HOME", "NAGOMI_HOME")}
    env |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "NAGOMI_LANG": "en", "SHELL": "/bin/bash"}
    command = [sys.executable, "-m", *(program or ("nagomi_tui",))]
    with Outer(command, env, cols=cols, rows=rows) as outer:
        if typed:
            outer.type(typed)
        outer.wait("keys")
        yield outer


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


SIZES = pytest.mark.parametrize(("cols", "rows"), [(200, 50), (80, 24)])


@SIZES
def test_vim_edits_and_saves_a_file_zoomed(
    place: Place, tmp_path: Path, cols: int, rows: int
) -> None:
    if not shutil.which("vim"):
        pytest.skip("vim is not installed")
    target = tmp_path / "poem.txt"
    with place.connect() as connection:
        name = create(connection, f"vim -u NONE -N {target}")
        with front_end(place, cols, rows) as outer:
            outer.keys("C-]", "z")
            until(lambda: session(connection, name)["cols"] > cols - 4)
            outer.type("i日本語 and words")
            outer.wait("日本語 and words")
            outer.keys("Enter")
            outer.type("second")
            outer.wait("second")
            outer.keys("Escape")
            # Escape and what comes right behind it are one key with Alt.
            outer.wait(lambda shown: "-- INSERT --" not in shown)
            outer.type(":wq")
            outer.keys("Enter")
            until(lambda: session(connection, name)["state"] == "exited")
    assert target.read_text() == "日本語 and words\nsecond\n"


@SIZES
def test_less_scrolls_and_quits(place: Place, tmp_path: Path, cols: int, rows: int) -> None:
    long = tmp_path / "long.txt"
    long.write_text("".join(f"line {n}\n" for n in range(1000)))
    with place.connect() as connection:
        name = create(connection, f"less {long}")
        with front_end(place, cols, rows) as outer:
            outer.keys("C-]", "z")
            until(lambda: session(connection, name)["rows"] >= rows - 3)
            outer.wait(f"line {rows - 8}", what="the page drawn anew")
            outer.type("G")
            outer.wait("line 999")
            outer.type("?line 500")
            outer.keys("Enter")
            outer.wait("line 500")
            outer.type("q")
            until(lambda: session(connection, name)["state"] == "exited")


def test_python_in_a_lane_takes_lines_from_the_prompt(place: Place) -> None:
    with place.connect() as connection:
        name = create(connection, f"{sys.executable} -q -i")
        with front_end(place, 120, 36) as outer:
            outer.wait(">>>")
            outer.keys("C-]", "v")
            outer.wait("Chat", what="the chat view")
            outer.type("6*7")
            outer.keys("Enter")
            outer.wait("42")
            assert ">>> 6*7" in text_of(connection, name)


def test_a_full_screen_monitor_is_cropped_in_a_tile(place: Place) -> None:
    monitor = shutil.which("htop") or shutil.which("top")
    if monitor is None:
        pytest.skip("neither htop nor top is installed")
    with place.connect() as connection:
        for _ in range(3):
            create(connection, monitor, cols=120, rows=40)
        with front_end(place, 80, 24) as outer:
            shown = outer.wait("CPU", timeout=20)
            assert max(len(line) for line in shown.split("\n")) <= 80
        listed = connection.welcome.sessions
        assert all((s.cols, s.rows) == (120, 40) for s in listed if s.cmd == monitor)


def test_job_control_and_interrupt_reach_the_shell(place: Place) -> None:
    with place.connect() as connection:
        name = create(connection, "bash --norc")
        with front_end(place, 100, 30) as outer:
            outer.type("sleep 100")
            outer.keys("Enter")
            outer.wait("sleep 100")
            shell = psutil.Process(session(connection, name)["pid"])
            until(lambda: any(child.name() == "sleep" for child in shell.children()))
            outer.keys("C-z")
            outer.wait("Stopped")
            outer.type("fg")
            outer.keys("Enter")
            outer.wait(lambda shown: shown.count("sleep 100") == 3, what="sleep goes on")
            outer.keys("C-c")
            outer.wait("^C")
            outer.type("echo after-$?")
            outer.keys("Enter")
            outer.wait("after-130")
            assert session(connection, name)["state"] == "running"


def test_ctrl_p_and_ctrl_q_belong_to_the_program(place: Place) -> None:
    source = (
        "import os,tty\ntty.setraw(0)\nprint('ready\\r')\n"
        "while True: print(os.read(0, 10).hex() + '\\r')"
    )
    import shlex

    with place.connect() as connection:
        create(connection, shlex.join([sys.executable, "-c", source]))
        with front_end(place, 100, 30) as outer:
            outer.wait("ready")
            outer.keys("C-p", "C-q", "C-g", "C-b", "C-\\", "C-s")
            for code in ("10", "11", "07", "02", "1c", "13"):
                outer.wait(lambda shown, code=code: code in shown, what=code)
            outer.keys("C-]", "C-]")
            outer.wait("1d")
