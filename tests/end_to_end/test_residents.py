"""Residents that are replaced, started from odd places, and stopped: sessions are what counts."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from nagomi_tui.api import messages as m
from tests.end_to_end.test_nothing_is_lost import COUNT, consecutive, hold, python
from tests.helpers.workplace import (
    Place,
    alive,
    create,
    session,
    text_of,
    until,
    wait_for,
    workplace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

LEAVE = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
        time.sleep(1000)
    os._exit(0)
os.wait()
"""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


def nagomi(*arguments: str) -> str:
    return " ".join([sys.executable, "-m", "nagomi_tui", *arguments])


@pytest.mark.alone
def test_reload_loses_nothing_of_eight_printing_sessions(place: Place) -> None:
    with place.connect() as connection:
        floods = [create(connection, python(COUNT)) for _ in range(8)]
        for name in floods:
            wait_for(connection, name, r"^([2-9]\d{4}|\d{6,})$")
        before = place.orchestrator
        connection.request(m.Reload(id=0), timeout=20)
    until(lambda: place.pids_of("nagomi_tui.orchestrator") not in ([], [before]))
    with place.connect() as connection:
        for name in floods:
            assert session(connection, name)["state"] == "running"
            hold(connection, name, stop=True)
        for name in floods:
            until(lambda name=name: consecutive(text_of(connection, name, history=True)) >= 19_999)


@pytest.mark.requirement("N-22")
def test_stop_leaves_nothing_but_an_orchestrator_that_it_started(
    place: Place, tmp_path: Path
) -> None:
    daemon, gone = tmp_path / "daemon", tmp_path / "gone"
    script = tmp_path / "script"
    script.write_text(
        f"setsid sleep 1000 &\n{python(LEAVE, str(daemon))}\necho left\n"
        f"while [ ! -e {gone} ]; do sleep 0.05; done\n"
        f"{nagomi('new', '--', 'sleep', '1000')}\nsleep 1000\n"
    )
    with place.connect() as connection:
        shell = create(connection, f"/bin/sh {script}", env={"NAGOMI_HOME": str(place.home)})
        wait_for(connection, shell, "^left")
        old = place.orchestrator
    os.kill(old, signal.SIGSTOP)
    place.kill(place.supervisor)
    place.kill(old)
    gone.touch()
    with place.connect() as connection:
        wait_for(connection, shell, "^2 ")
        leader = psutil.Process(session(connection, shell)["pid"])
        family = [leader, *leader.children(recursive=True)]
        orchestrator = place.orchestrator
        assert orchestrator != old
        connection.request(m.Stop(id=0, session=shell), timeout=30)
        assert not any(process.is_running() for process in family)
        assert not alive(int(daemon.read_text()))
        assert place.orchestrator == orchestrator
        sessions = connection.request(m.ListSessions(id=0)).sessions
        assert sorted(found.state for found in sessions) == ["exited", "running"]


def test_a_dead_worker_takes_its_own_sessions_only(place: Place) -> None:
    with place.connect() as connection:
        names = [create(connection, "cat") for _ in range(6)]
        assert len(place.workers) >= 2
        place.kill(place.workers[0])
        until(lambda: any(session(connection, name)["state"] == "lost" for name in names))
        states = [session(connection, name)["state"] for name in names]
        assert "running" in states
        for name in names:
            if session(connection, name)["state"] == "running":
                connection.request(m.Send(id=0, session=name, text="still here"), timeout=10)
                wait_for(connection, name, "still here")
            else:
                connection.request(m.Restart(id=0, session=name), timeout=20)
                until(lambda name=name: session(connection, name)["state"] == "running")
