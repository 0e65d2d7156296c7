"""A client that says more than anybody takes: others are served, and memory stays."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.system import paths
from tests.helpers.workplace import PATIENCE, create, session
from tests.orchestrator.test_floods import resident_mb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

SECONDS = 2.0
PLAIN = messages.Hello(version="0", front_end=True)
LINES = {
    "hello": lambda _id: PLAIN,
    "list": lambda _id: messages.ListSessions(id=1),
    "wait": lambda one: messages.Wait(id=1, session=one, until="output", pattern="never"),
    "view": lambda one: messages.View(view=1, session=one, cols=80, rows=24),
    "hook": lambda one: messages.Hook(
        session=one, agent="claude", payload={"hook_event_name": "Stop"}, at=time.time(), pid=0
    ),
}


@contextmanager
def flooded(line: bytes) -> Iterator[None]:
    """Say a line for as long as the block lasts, and read nothing."""
    over = threading.Event()

    def flood() -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(paths.front_end_socket()))
            client.settimeout(0.2)
            number = 0
            while not over.is_set():
                try:
                    client.sendall(line.replace(b'"view":1', f'"view":{number}'.encode()) * 50)
                    number += 1
                except TimeoutError:
                    continue
                except OSError:
                    return

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("kind", [*LINES, "nonsense"])
def test_others_are_served_beside_a_client_that_floods(place: Place, kind: str) -> None:
    resident = place.orchestrator
    with place.connect(front_end=True) as front_end:
        session_id = create(front_end, "cat")
        line = messages.encode(LINES[kind](session_id)) if kind in LINES else b"{nonsense}\n"
        before, slowest = resident_mb(resident), 0.0
        with flooded(line):
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                asked = time.monotonic()
                front_end.request(messages.Ping(id=0), timeout=PATIENCE)
                slowest = max(slowest, time.monotonic() - asked)
        assert session(front_end, session_id)["state"] == "running"
        assert resident_mb(resident) < before + 100
        assert slowest < 2.0
    assert place.orchestrator == resident


def test_more_requests_than_are_answered_are_refused(place: Place) -> None:
    with place.connect() as connection:
        session_id = create(connection, "cat")
        for number in range(1000, 1600):
            connection.send(
                messages.Wait(id=number, session=session_id, until="output", pattern="never")
            )
        refused = [said for said in connection.pushed(1.0) if isinstance(said, messages.Failed)]
        assert len(refused) == 100
        assert {said.message for said in refused} == {
            "Too many requests wait for their answers already."
        }
        connection.send(messages.TypeText(session=session_id, text="never\n"))
        done = [said for said in connection.pushed(2.0) if isinstance(said, messages.Done)]
        assert len(done) == 500
        assert session(connection, session_id)["state"] == "running"
