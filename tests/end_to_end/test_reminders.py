"""Reminders by command line and HTTP, over a `kill -9` of the orchestrator."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent.http.client import call
from nagomi_tui.api import messages
from nagomi_tui.system import paths
from tests.helpers.command import Commands
from tests.helpers.workplace import PATIENCE, create, session, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


def test_the_command_line_sets_lists_and_cancels_them(place: Place) -> None:
    run = Commands(place.home, os.environ | {"NAGOMI_LANG": "en"})
    with place.connect(front_end=True) as connection:
        made = create(connection, "bash --norc --noprofile -i", name="tests")
        until(lambda: session(connection, made)["phase"] == "idle")
        assert "1: when 1 tests fails (2 times): say so" in run.ok(
            "remind", "when", "tests", "fails", "twice", "say", "so"
        )
        run.ok("remind", "at", "23:59", "sleep")
        assert run.ok("remind", "--cancel", "2").startswith("Cancelled: reminder 2: at 23:59")
        place.kill(place.orchestrator)
    with place.connect(front_end=True) as connection:
        assert run.ok("remind", "list").splitlines() == ["1: when 1 tests fails (2 times): say so"]
        for turn in (1, 2):
            connection.request(messages.Send(id=0, session=made, text="false"), timeout=PATIENCE)
            until(lambda turn=turn: session(connection, made).get("turn", 0) >= turn)
            until(lambda: session(connection, made)["phase"] == "error")
        until(lambda: "No reminder" in run.ok("remind"))
        found = json.loads(run.ok("remind", "--list", "--json"))["told"]
        assert [one["said"] for one in found] == ["1 tests has failed (2 times): say so"]


def test_programs_set_them_over_http(place: Place) -> None:
    with place.connect() as connection:
        create(connection, "cat", name="kettle")
        connection.request(messages.StartAgent(id=0), timeout=PATIENCE)
        socket = paths.socket_folder() / "api"
        made = call(socket, "POST", "/api/reminders", {"when": "kettle says tea", "words": "sip"})
        assert made["said"] == "1: when 1 kettle says `tea`: sip"
        (one,) = call(socket, "GET", "/api/reminders")["open"]
        assert one["reminder"]["words"] == "sip"
        call(socket, "POST", "/api/reminders/cancel", {"number": 1})
        assert call(socket, "GET", "/api/reminders")["open"] == []
