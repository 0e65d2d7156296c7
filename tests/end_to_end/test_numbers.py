"""A number of two digits after the leader: no digit of it is typed into a program."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.text.key_names import BEHIND_SECONDS
from nagomi_tui.view.app.leader import DIGIT_SECONDS
from tests.end_to_end.test_programs import front_end
from tests.helpers.workplace import Place, create, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.outer import Outer

pytestmark = pytest.mark.slow

LEADER = "\x1d"


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    """A folder where each session keeps what was typed into it."""
    return tmp_path


@pytest.fixture
def connection(taken: Path) -> Iterator[Connection]:
    with workplace() as place, place.connect() as made:
        for number in range(1, 13):
            create(made, f"tee {taken / str(number)}")
        made.place = place  # type: ignore[attr-defined]
        yield made


@pytest.fixture
def outer(connection: Connection) -> Iterator[Outer]:
    place: Place = connection.place  # type: ignore[attr-defined]
    with front_end(place, 100, 30) as opened:
        yield opened


def goes_to(taken: Path, number: int, text: str) -> None:
    """Wait until the session has taken just this."""
    file = taken / str(number)
    until(lambda: file.exists() and file.read_text() == text)


def nobody_else_heard(taken: Path, *numbers: int) -> bool:
    return {int(file.name) for file in taken.iterdir() if file.read_text()} == {*numbers}


def test_two_digits_typed_at_once_reach_a_session(outer: Outer, taken: Path) -> None:
    outer.type(f"{LEADER}12twelve\r")
    goes_to(taken, 12, "twelve\n")
    outer.type(f"{LEADER}3three\r")
    goes_to(taken, 3, "three\n")
    assert nobody_else_heard(taken, 3, 12)


def test_one_digit_waits_only_a_little_and_other_keys_end_the_wait(
    outer: Outer, taken: Path
) -> None:
    outer.type(f"{LEADER}3{LEADER}1")
    time.sleep(DIGIT_SECONDS * 2)
    outer.type("2one\r")
    goes_to(taken, 1, "2one\n")
    outer.type(f"{LEADER}3{LEADER}1x{LEADER}2y\r")
    outer.type(f"{LEADER}1\r")
    goes_to(taken, 1, "2one\nx\n")
    goes_to(taken, 2, "y\n")
    outer.type(f"{LEADER}1")
    outer.paste("pasted\r")
    goes_to(taken, 1, "2one\nx\npasted\n")
    assert nobody_else_heard(taken, 1, 2)


def test_a_second_digit_that_names_nobody_is_typed_nowhere(outer: Outer, taken: Path) -> None:
    outer.type(f"{LEADER}3{LEADER}15")
    outer.wait("There is no session 15.")
    time.sleep(BEHIND_SECONDS * 2)
    outer.type(f"three\r{LEADER}1\x1b[27uthree\r")
    goes_to(taken, 3, "three\nthree\n")
    assert nobody_else_heard(taken, 3)


def test_without_a_session_1_the_second_digit_is_waited_for(
    outer: Outer, connection: Connection, taken: Path
) -> None:
    first = connection.request(messages.Find(id=0, session="1")).session_id
    connection.request(messages.Stop(id=0, session=first), timeout=30)
    connection.request(messages.Remove(id=0, session=first))
    outer.type(f"{LEADER}3{LEADER}1")
    outer.wait("Session 1…: its second digit, or Esc.")
    time.sleep(DIGIT_SECONDS * 2)
    outer.type("1eleven\r")
    goes_to(taken, 11, "eleven\n")
    outer.type(f"{LEADER}12twelve\r")
    goes_to(taken, 12, "twelve\n")
    assert nobody_else_heard(taken, 11, 12)
