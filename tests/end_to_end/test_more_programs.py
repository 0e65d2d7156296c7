"""Programs of every kind, driven through a tile that has the keys."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.test_programs import room
from tests.helpers.workplace import Place, create, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNTER = """
from textual.app import App
from textual.widgets import Button, Static

class Counter(App):
    BINDINGS = [("q", "quit", "Quit")]
    def compose(self):
        yield Static("pressed 0 times", id="count")
        yield Button("Press me", id="press")
    count = 0
    def on_button_pressed(self):
        self.count += 1
        self.query_one("#count", Static).update(f"pressed {self.count} times")

Counter().run()
"""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


def program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def test_fzf_narrows_and_picks(place: Place) -> None:
    fzf = program("fzf")
    with place.connect() as connection:
        name = create(connection, f"sh -c 'seq 1 5000 | {fzf}; exec cat'", cols=90, rows=20)
        with room(place, 100, 30) as outer:
            outer.wait("5000/5000")
            outer.type("4321")
            outer.wait("1/5000")
            outer.keys("Enter")
            until(lambda: text_of(connection, name).strip() == "4321")


def test_tig_walks_through_a_history(place: Place, tmp_path: Path) -> None:
    tig = program("tig")
    for command in (
        "git init -q .",
        "git -c user.email=a@b.c -c user.name=A commit -q --allow-empty -m 'Add the first thing'",
        "git -c user.email=a@b.c -c user.name=A commit -q --allow-empty -m 'Mend the first thing'",
    ):
        subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    with place.connect() as connection:
        name = create(connection, tig, cwd=str(tmp_path), cols=90, rows=20)
        with room(place, 100, 30) as outer:
            outer.wait("Mend the first thing")
            outer.keys("Down", "Enter")
            outer.wait("Add the first thing", what="the commit's page")
            outer.type("Q")
            until(lambda: session(connection, name)["state"] == "exited")


def test_a_textual_program_takes_keys_and_the_mouse(place: Place) -> None:
    command = shlex.join([sys.executable, "-c", COUNTER])
    with place.connect() as connection:
        name = create(connection, command, cols=90, rows=20)
        with room(place, 100, 30) as outer:
            outer.wait("Press me")
            lines = outer.screen().split("\n")
            y = next(n for n, line in enumerate(lines) if "Press me" in line)
            outer.mouse(lines[y].index("Press me") + 2, y)
            outer.wait("pressed 1 times")
            outer.type("q")
            until(lambda: session(connection, name)["state"] == "exited")


def test_tmux_runs_inside_the_workplace(place: Place) -> None:
    tmux = program("tmux")
    label = f"inner{os.getpid()}"
    with place.connect() as connection:
        name = create(
            connection,
            f"{tmux} -L {label} -f /dev/null new-session -n within cat",
            cols=90,
            rows=20,
        )
        try:
            with room(place, 100, 30) as outer:
                outer.wait("[0] 0:within")
                outer.keys("C-b", "%")
                outer.wait("│", what="a split inside")
                outer.type("echo $((40+2))")
                outer.keys("Enter")
                outer.wait("42")
                outer.keys("C-b", "d")
                until(lambda: session(connection, name)["state"] == "exited")
        finally:
            subprocess.run([tmux, "-L", label, "kill-server"], capture_output=True, check=False)


def test_a_python_prompt_edits_its_line(place: Place) -> None:
    with place.connect() as connection:
        name = create(connection, f"{sys.executable} -q -i", cols=90, rows=20)
        with room(place, 100, 30) as outer:
            outer.wait(">>>")
            outer.type("print('abc'")
            outer.keys("Left", "Left", "Left", "Left")
            outer.type("x")
            outer.keys("End")
            outer.type(")")
            outer.keys("Enter")
            until(
                lambda: "xabc" in text_of(connection, name) or "axbc" in text_of(connection, name)
            )
            outer.keys("C-d")
            until(lambda: session(connection, name)["state"] == "exited")
