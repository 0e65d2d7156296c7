"""With thirty sessions, each failure is told with the words of the command that failed."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.helpers.workplace import PATIENCE, create, session, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

IDLE = 24
SHELLS = 6
ROUNDS = 3


def told(connection: Connection, count: int) -> list[messages.TurnCompleted]:
    """Return so many ends of turns that failed, as they are told to all front ends."""
    found: list[messages.TurnCompleted] = []
    deadline = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < deadline:
        for each in connection.pushed(0.5):
            if isinstance(each, messages.TurnCompleted) and each.verdict.state == "failure":
                found.append(each)
    return found


@pytest.mark.parametrize("command", ["ls /{}", "clear; ls /{}", "sleep 0.3; ls /{}"])
@pytest.mark.requirement("N-51", "N-78")
def test_in_a_crowd_each_reason_is_that_of_its_own_command(place: Place, command: str) -> None:
    with place.connect(front_end=True) as front_end:
        for _ in range(IDLE):
            create(front_end, "bash -c 'while sleep 5; do :; done'")
        shells = [create(front_end, "bash", name=f"b{number}") for number in range(SHELLS)]
        for one in shells:
            wait_for(front_end, one, r"[$#]")
        for round_ in range(ROUNDS):
            for number, one in enumerate(shells):
                text = command.format(f"nope_{number}_{round_}") + "\r"
                front_end.request(messages.Send(id=0, session=one, text=text), timeout=PATIENCE)
            ends = told(front_end, SHELLS)
            reasons = {one.session: one.verdict.summary for one in ends}
            assert set(reasons) == set(shells), (round_, reasons)
            for number, one in enumerate(shells):
                wanted = f"nope_{number}_{round_}"
                assert re.search(rf"{wanted}\b", reasons[one]), (wanted, reasons[one])
                listed = session(front_end, one)
                assert wanted in listed["summary"], listed
                assert wanted in listed["last_turn"]["summary"], listed
