"""A whole workplace without a Unix socket, as on Windows: loopback ports lead from each to each."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.system import paths
from nagomi_worker.wire import transport
from tests.helpers.command import Commands
from tests.helpers.workplace import PATIENCE, create, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("NAGOMI_SOCKETS", "loopback")
    with workplace() as found:
        yield found


def test_everything_that_has_a_socket_is_reached(place: Place) -> None:
    with place.connect() as connection:
        first = create(connection, "sh -c 'echo up; read x; echo got $x; exec cat'")
        wait_for(connection, first, "up")
        connection.send(messages.TypeText(session=first, text="日本語\r"))
        wait_for(connection, first, "got 日本語")
    place.kill(place.orchestrator)
    with place.connect() as connection:
        wait_for(connection, first, "got 日本語")
        connection.send(messages.TypeText(session=first, text="again\r"))
        wait_for(connection, first, "^again")
        address = connection.request(messages.StartAgent(id=0), timeout=PATIENCE)
        trusted = transport.connect_to(address.socket, PATIENCE)
        trusted.close()
        done = Commands(place.home, os.environ).ok("ls")
        assert "sh -c" in done
    made = {one.name.split("-")[0] for one in paths.socket_folder().iterdir() if one.is_file()}
    assert {paths.FRONT, paths.AGENT, "w"} <= made
    for one in paths.socket_folder().iterdir():
        mode = one.lstat().st_mode
        assert one.name == paths.API or not stat.S_ISSOCK(mode), one
        assert not mode & 0o077, one
