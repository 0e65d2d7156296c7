"""A program that asks whether its status is read, and tells it: through an orchestrator's death."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from tests.helpers.workplace import PATIENCE, create, session, until, workplace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PROGRAM = """
import os, sys, tty
tty.setraw(0)
log = open(sys.argv[1], "ab", buffering=0)
os.write(1, b"\\x1b]7501;?\\x1b\\\\\\x1b[c")
heard = b""
while not heard.endswith(b"c"):
    heard += os.read(0, 1000)
log.write(heard)
os.write(1, b"\\x1b]7501;state=working:app=test\\x1b\\\\")
while heard := os.read(0, 1000):
    log.write(heard)
    if b"b" in heard:
        os.write(1, b"\\x1b]7501;state=blocked:kind=question:msg=V2hpY2ggb25lPw==\\x1b\\\\")
    if b"d" in heard:
        os.write(1, b"\\x1b]7501;state=done\\x1b\\\\")
"""


@pytest.mark.requirement("X-20")
def test_a_status_is_asked_for_once_and_outlives_the_orchestrator(tmp_path: Path) -> None:
    script, log = tmp_path / "agent.py", tmp_path / "log"
    script.write_text(PROGRAM)
    with workplace() as place:
        with place.connect() as connection:
            made = create(connection, f"{sys.executable} {script} {log}")
            until(lambda: session(connection, made)["phase"] == "thinking")
            assert log.read_bytes().startswith(b"\x1b]7501;?\x1b\\\x1b[?")
            turn = session(connection, made)["turn"]
        place.kill(place.orchestrator)
        with place.connect() as connection:
            until(lambda: session(connection, made)["state"] == "running")
            asks = m.Asks(id=0, session=made)
            until(lambda: connection.request(asks, timeout=PATIENCE).rule == "status")
            # A kill may come before the number of a turn that has just begun is on disk.
            assert (again := session(connection, made)["turn"]) <= turn
            assert session(connection, made)["phase"] == "thinking"
            connection.send(m.TypeText(session=made, text="b"))
            until(lambda: session(connection, made)["phase"] == "attention")
            assert session(connection, made)["summary"] == "Which one?"
            connection.send(m.TypeText(session=made, text="d"))
            until(lambda: session(connection, made)["phase"] == "success")
            assert session(connection, made)["turn"] == again
    assert log.read_bytes().count(b"7501") == 1
