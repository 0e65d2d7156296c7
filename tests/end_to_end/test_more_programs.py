"""Programs of every kind, driven through a tile that has the keys."""

from __future__ import annotations

import base64
import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.test_programs import front_end
from tests.helpers.workplace import (
    Place,
    create,
    session,
    text_of,
    until,
    wait_for,
    workplace,
)
from tests.terminal.conftest import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

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
        with front_end(place, 100, 30) as outer:
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
        with front_end(place, 100, 30) as outer:
            outer.wait("Mend the first thing")
            outer.keys("Down", "Enter")
            outer.wait("Add the first thing", what="the commit's page")
            outer.type("Q")
            until(lambda: session(connection, name)["state"] == "exited")


def test_a_textual_program_takes_keys_and_the_mouse(place: Place) -> None:
    command = shlex.join([sys.executable, "-c", COUNTER])
    with place.connect() as connection:
        name = create(connection, command, cols=90, rows=20)
        with front_end(place, 100, 30) as outer:
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
            with front_end(place, 100, 30) as outer:
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
        with front_end(place, 100, 30) as outer:
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


def test_a_paste_of_lines_waits_for_enter_in_bash(place: Place) -> None:
    with place.connect() as connection:
        name = create(connection, "bash --norc -i", cols=98, rows=26)
        wait_for(connection, name, r"\$|#")
        with front_end(place, 100, 30) as outer:
            outer.paste("echo o'n'e\necho t'w'o")
            outer.wait("t'w'o")
            assert not {"one", "two"} & set(text_of(connection, name).split("\n"))
            outer.keys("Enter")
            until(lambda: text_of(connection, name).split("\n").count("two") == 1)
            assert "one" in text_of(connection, name).split("\n")


def test_a_click_moves_vim_s_cursor(place: Place, tmp_path: Path) -> None:
    vim = program("vim")
    poem = tmp_path / "poem"
    poem.write_text("".join(f"verse {number}\n" for number in range(9)))
    with place.connect() as connection:
        name = create(connection, f"{vim} -u NONE -N -c 'set mouse=a' {poem}", cols=98, rows=26)
        with front_end(place, 100, 30) as outer:
            lines = outer.wait("verse 8").split("\n")
            y = next(at for at, line in enumerate(lines) if "verse 5" in line)
            outer.mouse(lines[y].index("verse 5") + 2, y)
            outer.type("dd")
            outer.wait(lambda shown: "verse 5" not in shown, what="the line deleted")
            outer.type(":wq\r")
            until(lambda: session(connection, name)["state"] == "exited")
    assert "verse 5" not in poem.read_text()
    assert len(poem.read_text().split("\n")) == 9


def test_pictures_and_copies_of_any_length_are_swallowed(place: Place, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    picture = b"\x1bPq#0;2;0;0;0" + b"#1~~@@vv@@~~@@~~$-" * 3000 + b"\x1b\\"
    copy = b"\x1b]52;c;" + base64.b64encode(bytes(300_000)) + b"\x07"
    whole.write_bytes(b"before " + picture + copy + b"\x1bPq broken off\x18after\n")
    with place.connect() as connection:
        name = create(connection, f"sh -c 'cat {whole}; exec cat'")
        wait_for(connection, name, "after")
        assert text_of(connection, name).strip() == "before after"
        assert not session(connection, name)["engine"].startswith("pyte") or not NATIVE
