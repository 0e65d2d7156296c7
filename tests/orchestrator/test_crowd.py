"""More programs connect than there is room for: the workplace stays, and lets them wait."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.orchestrator.runtime.timers import REACH_SECONDS
from nagomi_tui.system import paths
from tests.helpers.limits import out_of_files
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

CROWDED = "Too many programs are connected to nagomi; others wait until some end."


def come(stack: contextlib.ExitStack, count: int) -> list[socket.socket]:
    """Connect so often, without a word; stop where nobody is let in any more."""
    came = []
    for _ in range(count):
        one = stack.enter_context(socket.socket(socket.AF_UNIX))
        one.setblocking(False)
        try:
            one.connect(str(paths.front_end_socket()))
        except BlockingIOError:
            break
        came.append(one)
    return came


def told(connection: Connection) -> list[str]:
    said = [each.text for each in connection.pushed(1.0) if isinstance(each, messages.Notice)]
    return [text for text in said if text == CROWDED]


def test_without_a_free_file_clients_wait_and_all_else_goes_on(place: Place) -> None:
    resident = place.orchestrator
    with place.connect(front_end=True) as front_end, contextlib.ExitStack() as stack:
        session_id = create(front_end, "cat")
        with out_of_files(resident):
            come(stack, 20)
            front_end.request(messages.Send(id=0, session=session_id, text="hi"), timeout=PATIENCE)
            wait_for(front_end, session_id, "hi")
            assert told(front_end) == [CROWDED]
            time.sleep(REACH_SECONDS)  # sockets and workers are looked for meanwhile
        with place.connect() as late:
            assert "hi" in text_of(late, session_id)
        assert told(front_end) == []
    assert place.orchestrator == resident


def test_whoever_says_nothing_makes_room_for_others(place: Place) -> None:
    resident = place.orchestrator
    with place.connect(front_end=True) as front_end, contextlib.ExitStack() as stack:
        session_id = create(front_end, "cat")
        for _ in range(12):
            come(stack, 100)
            with place.connect() as other:
                assert session(other, session_id)["state"] == "running"
        assert told(front_end) == [CROWDED]
        done = create(front_end, "echo done; exec cat")
        wait_for(front_end, done, "^done")
    assert place.orchestrator == resident


def test_without_a_free_file_a_session_that_cannot_begin_is_a_sentence(place: Place) -> None:
    resident = place.orchestrator
    with place.connect() as connection:
        create(connection, "cat")
        with (
            out_of_files(resident),
            pytest.raises(RequestFailed, match="no room for another process"),
        ):
            create(connection, "cat")
        later = create(connection, "cat")
        until(lambda: session(connection, later)["state"] == "running")
    assert place.orchestrator == resident


def test_a_supervisor_without_a_free_file_starts_the_next_one_later(place: Place) -> None:
    supervisor, dead = place.supervisor, until(lambda: place.orchestrator)
    with out_of_files(supervisor):
        place.kill(dead)
        time.sleep(0.5)
    with place.connect():
        assert place.supervisor == supervisor


def test_a_supervisor_that_cannot_be_replaced_is_replaced_later(place: Place) -> None:
    resident = place.orchestrator
    with place.connect() as connection:
        create(connection, "true")
    with out_of_files(resident):
        place.kill(place.supervisor)
        time.sleep(1.5)
    assert until(lambda: place.supervisor)
    assert place.orchestrator == resident
