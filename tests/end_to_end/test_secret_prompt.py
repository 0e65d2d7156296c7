"""Passwords written in the prompt: they reach the program, and are nowhere else."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from tests.end_to_end.test_programs import front_end
from tests.helpers.command import Commands
from tests.helpers.workplace import PATIENCE, Place, create, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

SECRET = "hunter2"

GETPASS = "import getpass; print(len(getpass.getpass('Key: ')), 'taken')"
FAR = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"me@far's password: ")
line = b""
while not line.endswith(b"\\r"):
    line += os.read(0, 100)
os.system("stty sane")
os.write(1, b"\\r\\n%d taken\\r\\n" % (len(line) - 1))
"""
PROGRAMS = {
    "read -s": "read -rs -p 'Say it: ' line; echo; echo ${#line} taken",
    "like sudo": "stty -echo; printf '[sudo] password for me: '; read -r line; stty echo; "
    "echo; echo ${#line} taken",
    "getpass": f'{sys.executable} -c "{GETPASS}"',
    "behind ssh": f"{sys.executable} far.py",
}


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


def kept(place: Place, text: str) -> list[str]:
    """Return the files of the workplace that hold a text."""
    files = (path for path in Path(place.home).rglob("*") if path.is_file())
    return [str(path) for path in files if text.encode() in path.read_bytes()]


def shell(tmp_path: Path, line: str) -> str:
    """Return the command that runs these lines and goes on reading."""
    script = tmp_path / "asks.sh"
    (tmp_path / "far.py").write_text(FAR)
    script.write_text(f"cd {tmp_path}\n{line}\nwhile read -r more; do echo said $more; done\n")
    return f"bash {script}"


@pytest.mark.parametrize(
    "program",
    [
        *(pytest.param(name, marks=pytest.mark.variant) for name in ("read -s", "getpass")),
        "like sudo", "behind ssh",
    ],
)  # fmt: skip
@pytest.mark.requirement("N-86")
def test_a_password_written_in_the_prompt_is_nowhere(
    program: str, place: Place, tmp_path: Path
) -> None:
    with place.connect() as connection:
        made = create(connection, shell(tmp_path, PROGRAMS[program]), rows=20)
        until(lambda: session(connection, made).get("secret"))
        with front_end(place, 80, 24) as outer:
            outer.keys("C-]", "v")
            outer.wait("hidden, and not kept")
            outer.type(SECRET)
            shown = outer.wait("•" * len(SECRET))
            assert "hunter" not in shown and "hidden, and not kept" in shown
            outer.keys("Enter")
            outer.wait("7 taken")
            until(lambda: not session(connection, made).get("secret"))
            outer.wait("Write to")
            outer.keys("Up", "Up", "C-z")
            outer.type("and on")
            assert "hunter" not in outer.wait("and on")
            outer.keys("Enter")
            outer.wait("said and on")
        assert SECRET not in text_of(connection, made)
    assert kept(place, SECRET) == []


def test_a_password_that_was_sent_as_quickly_as_it_was_asked_for_is_not_kept(
    place: Place, tmp_path: Path
) -> None:
    """The processes are looked at after a moment of silence only."""
    go = tmp_path / "go"
    os.mkfifo(go)
    line = f"cat {go}; read -rs -p 'Say it: ' line; echo; echo ${{#line}} taken"
    with place.connect() as connection:
        made = create(connection, shell(tmp_path, line), rows=20)
        with go.open("w"):
            pass
        until(lambda: "Say it:" in text_of(connection, made))
        sent = m.Send(id=0, session=made, text=SECRET)
        assert connection.request(sent, timeout=PATIENCE).hidden is True
        until(lambda: "7 taken" in text_of(connection, made))
        until(lambda: not session(connection, made).get("secret"))
        plain = m.Send(id=0, session=made, text="and on")
        assert connection.request(plain, timeout=PATIENCE).hidden is False


def test_a_password_of_the_command_line_reaches_the_program_and_no_file(
    place: Place, tmp_path: Path
) -> None:
    with place.connect() as connection:
        made = create(connection, shell(tmp_path, PROGRAMS["read -s"]), rows=20)
        until(lambda: session(connection, made).get("secret"))
        Commands(place.home, os.environ).ok("send", made, SECRET)
        until(lambda: "7 taken" in text_of(connection, made))
    assert kept(place, SECRET) == []
