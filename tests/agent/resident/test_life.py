"""The agent's process starts when needed, comes back, and stands in nobody's way."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.system import paths
from tests.helpers.workplace import PATIENCE, alive, create, text_of, until, wait_for
from tests.helpers.workplace import session as status

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

MODULE = "nagomi_tui.agent.resident"


def start(connection: Connection) -> messages.AgentAddress:
    return connection.request(messages.StartAgent(id=0), timeout=PATIENCE)


def echo_seconds(connection: Connection, session: str, word: str) -> float:
    """Return how long a typed word takes to be on the screen."""
    began = time.monotonic()
    connection.send(messages.TypeText(session=session, text=word))
    while word not in text_of(connection, session):
        assert time.monotonic() - began < PATIENCE
    return time.monotonic() - began


def stands(connection: Connection) -> messages.Agent:
    """Return what the agent is said to be next."""
    for pushed in connection.pushed(PATIENCE):
        if isinstance(pushed, messages.Agent):
            return pushed
    raise AssertionError("nothing was said of the agent")


def test_it_runs_when_it_was_asked_for_and_not_before(place: Place) -> None:
    with place.connect(front_end=True) as connection:
        assert place.pids_of(MODULE) == []
        address = start(connection)
        assert place.pids_of(MODULE) == [address.pid]
        assert address.socket == str(paths.agent_socket())
        assert os.stat(address.socket).st_mode & 0o777 == 0o600
        assert stands(connection) == messages.Agent(pid=address.pid)
        assert start(connection) == address


def test_a_killed_agent_comes_back_and_front_ends_are_told(place: Place) -> None:
    with place.connect(front_end=True) as connection:
        first = start(connection)
        assert stands(connection).pid == first.pid
        began = time.monotonic()
        os.kill(first.pid, signal.SIGKILL)
        assert stands(connection) == messages.Agent()
        assert stands(connection).pid not in (0, first.pid)
        assert time.monotonic() - began < 10
        assert start(connection).pid == place.pid_of(MODULE)


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
def test_no_session_and_no_key_notices_what_becomes_of_it(
    place: Place, number: signal.Signals
) -> None:
    with place.connect(front_end=True) as connection:
        session = create(connection, "cat")
        address = start(connection)
        assert echo_seconds(connection, session, "before") < 2
        os.kill(address.pid, number)
        for count in range(5):
            assert echo_seconds(connection, session, f"after{count}") < 2
        ended = create(connection, "false")
        until(lambda: status(connection, ended)["phase"] == "error")


def test_one_that_hangs_is_replaced(place: Place) -> None:
    with place.connect(front_end=True) as connection:
        hung = start(connection)
        os.kill(hung.pid, signal.SIGSTOP)
        until(lambda: not alive(hung.pid), 60)
        until(lambda: place.pids_of(MODULE) not in ([], [hung.pid]))


def test_it_outlives_an_orchestrator_and_finds_the_next_one(place: Place) -> None:
    with place.connect() as connection:
        address = start(connection)
    place.kill(place.orchestrator)
    with place.connect() as connection:
        assert start(connection) == address


def test_it_is_there_again_after_its_supervisor_was_killed(place: Place) -> None:
    with place.connect() as connection:
        address = start(connection)
        place.kill(place.supervisor)
        until(lambda: not alive(address.pid))
        until(lambda: place.pids_of(MODULE) not in ([], [address.pid]))
        assert start(connection).pid == place.pid_of(MODULE)


def test_reload_replaces_it(place: Place) -> None:
    with place.connect() as connection:
        address = start(connection)
        session = create(connection, "cat")
        connection.request(messages.Reload(id=0), timeout=PATIENCE)
    until(lambda: place.pids_of(MODULE) not in ([], [address.pid]))
    assert not alive(address.pid)
    with place.connect() as connection:
        connection.request(messages.Send(id=0, session=session, text="there"), timeout=PATIENCE)
        wait_for(connection, session, "there")


@pytest.mark.parametrize("stopped", [False, True])
def test_quit_ends_it_and_its_socket(place: Place, stopped: bool) -> None:
    with place.connect() as connection:
        address = start(connection)
        if stopped:
            os.kill(address.pid, signal.SIGSTOP)
        connection.request(messages.Quit(id=0), timeout=PATIENCE)
    until(lambda: not place.pids())
    assert stopped or not os.path.exists(address.socket)


def test_one_that_was_needed_runs_as_soon_as_the_orchestrator_does(place: Place) -> None:
    with place.connect() as connection:
        connection.request(messages.Quit(id=0), timeout=PATIENCE)
    until(lambda: not place.pids())
    paths.agent_needed_file().touch()
    place.start()
    until(lambda: place.pids_of(MODULE))
