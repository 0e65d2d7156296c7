"""What is typed before a dialog has its answer goes to whom it is meant for, in order."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.text.key_names import BEHIND_SECONDS
from nagomi_tui.view.common.timers import SETTLE_SECONDS
from tests.end_to_end.test_nothing_is_lost import python
from tests.end_to_end.test_programs import front_end
from tests.helpers.workplace import Place, create, session, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow
BYTES = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"ready")
with open(sys.argv[1], "wb", 0) as taken:
    while got := os.read(0, 100):
        taken.write(got)
"""
"""Writes each byte that it reads to a file."""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


@contextmanager
def stopped(pid: int, seconds: float) -> Iterator[None]:
    """Let a process answer nothing while the block types, and for a while after it."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)


def gets(file: Path, text: str) -> None:
    """Wait until a file holds this."""
    until(lambda: file.exists() and len(file.read_text()) >= len(text))
    assert file.read_text() == text


@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_a_new_session_gets_what_was_typed_for_it(
    place: Place, tmp_path: Path, seconds: float
) -> None:
    taken = tmp_path / "taken"
    with place.connect() as connection:
        create(connection, "sleep 600")
        with front_end(place, 100, 30) as outer:
            with stopped(place.orchestrator, seconds):
                outer.type(f"\x1dctee {taken}\rone\rtwo\r")
                outer.paste("three\rfour\r")
                outer.type("five\r")
            gets(taken, "one\ntwo\nthree\nfour\nfive\n")


def test_what_was_typed_for_a_session_that_does_not_come_is_given_up(place: Place) -> None:
    with place.connect() as connection, front_end(place, 100, 30) as outer:
        with stopped(place.orchestrator, 0.3):
            outer.type("\x1dc/no/such/program\rrm -rf everything\r")
        outer.wait("keys typed meanwhile were not sent")
        assert "everything" not in outer.screen()
        assert len(connection.request(messages.ListSessions(id=0)).sessions) <= 1


def test_what_was_typed_for_a_session_that_is_too_late_goes_to_no_other(
    place: Place, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    with place.connect() as connection:
        create(connection, f"tee {taken}")
        with front_end(place, 100, 30, "tests.helpers.short_wait", "1") as outer:
            with stopped(place.orchestrator, 2.0):
                outer.type("\x1dccat\rrm -rf everything\r")
            outer.wait("keys typed meanwhile were not sent")
            until(lambda: len(connection.request(messages.ListSessions(id=0)).sessions) == 2)
            outer.type("after\r")
            outer.wait("after")
            assert "everything" not in outer.screen()
        assert not taken.exists() or "everything" not in taken.read_text()


def test_a_session_gets_what_was_typed_after_its_new_name(place: Place, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    with place.connect() as connection:
        name = create(connection, f"tee {taken}")
        with front_end(place, 100, 30) as outer:
            with stopped(place.orchestrator, 0.3):
                outer.type("\x1d,other\rone\rtwo\r")
            gets(taken, "one\ntwo\n")
            assert session(connection, name)["name"] == "other"


def test_a_session_gets_what_was_typed_after_its_restart(place: Place, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    with place.connect() as connection:
        name = create(connection, f"sh -c 'read line; echo $line >> {taken}'")
        with front_end(place, 100, 30) as outer:
            outer.type("one\r")
            until(lambda: session(connection, name)["state"] == "exited")
            outer.wait("ended")
            with stopped(place.orchestrator, 0.3):
                outer.type("\x1drtwo\r")
            gets(taken, "one\ntwo\n")


def test_keys_after_looking_back_and_after_a_question_are_the_session_s(
    place: Place, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    with place.connect() as connection:
        create(connection, f"tee {taken}")
        with front_end(place, 100, 30) as outer:
            outer.wait("menu")
            for leader, closes, text in (("\x1d[", "q", "one"), ("\x1dx", "n", "two")):
                outer.type(f"{leader}{closes}lost\r")  # nobody can have seen what opened
                time.sleep(2 * SETTLE_SECONDS)
                outer.type(leader)
                time.sleep(2 * SETTLE_SECONDS)
                outer.type(closes + text)
                time.sleep(3 * BEHIND_SECONDS)
                outer.type("\r")
                gets(taken, "one\n" if text == "one" else "one\ntwo\n")


@pytest.mark.parametrize("seconds", [0.3, 3.0])
def test_a_prompt_that_is_late_gets_what_was_typed_for_it(
    place: Place, tmp_path: Path, seconds: float
) -> None:
    taken = tmp_path / "taken"
    with place.connect() as connection:
        create(connection, f"tee {taken}")
        with front_end(place, 100, 30, "tests.helpers.late_chat", str(seconds)) as outer:
            outer.type("\x1dvon")
            time.sleep(seconds + 1)
            outer.type("e\rtwo\r")
            gets(taken, "one\ntwo\n")


def test_what_is_typed_while_the_front_end_is_started_anew_arrives(
    place: Place, tmp_path: Path
) -> None:
    taken, typed = tmp_path / "taken", ""
    with place.connect() as connection:
        create(connection, python(BYTES, str(taken)))
        with front_end(place, 80, 24) as outer:
            outer.wait("ready")
            for number in range(120):
                line = f"{number}" + "\r" * (number % 5 == 0)
                outer.type(line)
                typed += line
                if number == 20:
                    connection.send(messages.Reload(id=0))
                time.sleep(0.01)
            until(lambda: len(taken.read_bytes()) >= len(typed))
            assert taken.read_bytes().decode() == typed


def test_what_is_typed_while_the_front_end_starts_goes_to_the_session(
    place: Place, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    with place.connect() as connection:
        create(connection, python(BYTES, str(taken)))
        until(taken.exists)
        with front_end(place, 80, 24, typed="one\rtwo"):
            until(lambda: len(taken.read_bytes()) >= 7)
            assert taken.read_bytes() == b"one\rtwo"
