"""Nothing dies with the thing above it: orchestrator, supervisor and workers are killed."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.launch import ensure_running
from tests.helpers.workplace import (
    PATIENCE,
    alive,
    create,
    only,
    session,
    text_of,
    until,
    wait_for,
    workplace,
)

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

COUNT = """python3 -c "import itertools
for i in itertools.count(): print('n%09d' % i)" """
MANY = "n0*[1-9][0-9]{4}"
"""Ten thousand lines of `COUNT` or more: one number alone may be gone before it is looked for."""
VIMLIKE = (
    r"""sh -c 'stty -echo; printf "\033[?1049h\033[?1h\033[?2004h\033[2J\033[5;5Hediting\033[3;3H";"""
    r""" exec sleep 1000'"""
)


def numbers(connection: Connection, session_id: str) -> list[int]:
    lines = text_of(connection, session_id, history=True).splitlines()
    # The last line may be cut where the session is printing just now.
    return [int(line[1:]) for line in lines[:-1] if line]


def assert_nothing_lost(found: list[int]) -> None:
    assert found == list(range(found[0], found[0] + len(found)))


def frames_of(connection: Connection, quiet: float) -> list[messages.Frame]:
    """Return the frames that come until nothing has come for a while."""
    return [m for m in connection.pushed(quiet) if isinstance(m, messages.Frame)]


def is_running(connection: Connection, session_id: str) -> bool:
    return bool(session(connection, session_id)["state"] == "running")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
@pytest.mark.requirement("N-26")
def test_a_killed_orchestrator_comes_back_with_every_screen(
    place: Place, number: signal.Signals
) -> None:
    with place.connect() as before:
        counting = create(before, COUNT)
        editing = create(before, VIMLIKE)
        wait_for(before, editing, "editing")
        wait_for(before, counting, MANY)
        pids = [session(before, each)["pid"] for each in (counting, editing)]
    for _ in range(2):
        dead = place.orchestrator
        os.kill(dead, number)
        until(lambda dead=dead: not alive(dead))
        with place.connect(front_end=True) as after:
            found = numbers(after, counting)
            assert len(found) > 5000
            assert_nothing_lost(found)
            assert "    editing" in text_of(after, editing)
            after.send(messages.View(view=1, session=editing, cols=120, rows=30))
            frames = until(lambda after=after: frames_of(after, 0.1))
            frame = only([*frames, *frames_of(after, 1)])
            assert frame.modes.alt_screen and frame.modes.app_cursor
            assert frame.modes.bracketed_paste
            assert (frame.cursor.x, frame.cursor.y) == (2, 2)
            assert [session(after, each)["pid"] for each in (counting, editing)] == pids


def test_no_answer_to_a_query_is_typed_twice(place: Place) -> None:
    asks = r"""sh -c 'stty raw -echo; printf "\033[6n"; dd bs=1 count=6 2>/dev/null | od -c; """
    with place.connect(front_end=True) as before:
        session_id = create(before, asks + "echo; echo asked; cat -v'")
        wait_for(before, session_id, "asked")
    for _ in range(3):
        place.kill(place.orchestrator)
        with place.connect(front_end=True) as after:
            assert text_of(after, session_id).rstrip().endswith("asked")
            assert not [m for m in after.pushed(0.3) if isinstance(m, messages.Event)]


def test_a_query_that_nobody_answered_is_answered_when_somebody_is_back(
    place: Place, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    asks = (
        rf"""sh -c 'stty raw -echo; echo set; until test -e {go}; do sleep 0.02; done;"""
        r""" printf "\033[6n"; dd bs=1 count=6 2>/dev/null | od -c; sleep 99'"""
    )
    with place.connect() as before:
        session_id = create(before, asks)
        wait_for(before, session_id, "set")
        place.kill(place.orchestrator)
        go.touch()
    with place.connect() as after:
        wait_for(after, session_id, r"033   \[.*R")


def test_nothing_rings_again(place: Place) -> None:
    with place.connect(front_end=True) as before:
        session_id = create(before, r"""sh -c 'printf "\007"; echo rang; exec sleep 99'""")
        wait_for(before, session_id, "rang")
        rang = [m for m in before.pushed(0.5) if isinstance(m, messages.Event)]
        assert [event.kind for event in rang] == ["bell"]
    place.kill(place.orchestrator)
    with place.connect(front_end=True) as after:
        wait_for(after, session_id, "rang")
        assert not [m for m in after.pushed(0.5) if isinstance(m, messages.Event)]


def test_a_dead_worker_takes_only_its_own_sessions(place: Place) -> None:
    with place.connect(front_end=True) as connection:
        ids = [create(connection, "sleep 1000", name=f"s{number}") for number in range(3)]
        status = connection.request(messages.Status(id=0), timeout=PATIENCE)
        victim = status.workers[0].pid
        place.kill(victim)
        until(lambda: [i for i in ids if session(connection, i)["state"] == "lost"])
        states = sorted(session(connection, each)["state"] for each in ids)
        assert states == ["lost", "running", "running"]
        lost = only([each for each in ids if session(connection, each)["state"] == "lost"])
        said = [m.text for m in connection.pushed(0.3) if isinstance(m, messages.Notice)]
        name = session(connection, lost)["name"]
        assert said == [f"A worker has stopped; these were in it: {name}."]
        connection.request(messages.Restart(id=0, session=lost), timeout=20)
        assert is_running(connection, lost)


def test_what_a_worker_that_was_told_to_end_has_ended_is_named(place: Place) -> None:
    with place.connect(front_end=True) as connection:
        session_id = create(connection, "sleep 1000", name="one")
        until(lambda: session(connection, session_id)["state"] == "running")
        for worker in place.workers:
            os.kill(worker, signal.SIGTERM)
        until(lambda: session(connection, session_id)["state"] == "exited")
        assert session(connection, session_id)["phase"] == "idle"
        said = [m.text for m in connection.pushed(1) if isinstance(m, messages.Notice)]
        assert said == ["A worker has stopped; these were in it: one."]


def test_a_worker_may_die_while_much_is_queued_for_it(place: Place) -> None:
    resident = place.orchestrator
    with place.connect() as connection:
        session_id = create(connection, "sleep 1000")
        [worker] = place.workers
        os.kill(worker, signal.SIGSTOP)
        for _ in range(3):
            connection.send(messages.Paste(session=session_id, text="x" * 3_000_000))
        connection.request(messages.Status(id=0), timeout=PATIENCE)
        place.kill(worker)
        until(lambda: session(connection, session_id)["state"] == "lost")
    assert place.orchestrator == resident


def test_a_dead_supervisor_is_replaced_by_one_that_adopts(place: Place) -> None:
    orchestrator, supervisor = place.orchestrator, place.supervisor
    with place.connect() as connection:
        place.kill(supervisor)
        # It is told only when the new one hears our heart, and so will not kill us as silent.
        until(lambda: told_supervisor(connection) != supervisor)
        assert told_supervisor(connection) == place.supervisor
    assert place.orchestrator == orchestrator
    place.kill(orchestrator)
    until(lambda: [pid for pid in place.pids_of("nagomi_tui.orchestrator") if pid != orchestrator])
    with place.connect() as connection:
        assert connection.request(messages.Ping(id=0), timeout=PATIENCE) == messages.Nothing()
    assert place.supervisor


def told_supervisor(connection: Connection) -> int:
    return connection.request(messages.Status(id=0), timeout=PATIENCE).supervisor.pid


def test_with_both_dead_the_next_start_finds_the_sessions(place: Place) -> None:
    with place.connect() as before:
        session_id = create(before, COUNT)
        wait_for(before, session_id, MANY)
        pid = session(before, session_id)["pid"]
    place.kill(place.supervisor)
    place.kill(place.orchestrator)
    for leftover in place.pids_of("nagomi_tui.orchestrator.supervisor"):
        place.kill(leftover)
    ensure_running()
    with place.connect() as after:
        assert_nothing_lost(numbers(after, session_id))
        assert session(after, session_id)["pid"] == pid


def test_a_hanging_orchestrator_is_replaced(place: Place) -> None:
    with place.connect() as before:
        session_id = create(before, "sh -c 'echo here; exec sleep 1000'")
        wait_for(before, session_id, "here")
    hung = place.orchestrator
    os.kill(hung, signal.SIGSTOP)
    until(lambda: not alive(hung), patience=20)
    with place.connect() as after:
        assert "here" in text_of(after, session_id)


def test_a_reload_loses_nothing(place: Place) -> None:
    with place.connect(front_end=True) as before:
        ids = [create(before, COUNT) for _ in range(2)]
        for each in ids:
            wait_for(before, each, MANY)
        dead = place.orchestrator
        before.request(messages.Reload(id=0), timeout=PATIENCE)
        said = only([m for m in until_closed(before) if isinstance(m, messages.Goodbye)])
        assert said.reason == "reload"
    until(lambda: not alive(dead))
    with place.connect() as after:
        for each in ids:
            assert_nothing_lost(numbers(after, each))
    assert len(place.pids_of("nagomi_tui.orchestrator.supervisor")) == 1


def until_closed(connection: Connection) -> list[messages.ToClient]:
    """Return what was said before the connection ended."""
    said: list[messages.ToClient] = []
    with contextlib.suppress(ConnectionError):
        said.extend(connection.pushed(5))
    return said


def test_after_a_reboot_sessions_are_listed_and_start_again() -> None:
    with workplace() as place:
        with place.connect() as before:
            for name in ("one", "two", "three"):
                create(before, "sh -c 'echo $WHO; exec sleep 1000'", name=name, env={"WHO": "me"})
            before.request(messages.Stop(id=0, session="three"), timeout=PATIENCE)
            before.request(messages.Remove(id=0, session="three"), timeout=PATIENCE)
            before.request(messages.Reorder(id=0, session="two", number=1), timeout=PATIENCE)
            until(lambda: _saved(place) == ["two", "one"])
        place.end()
        place.start()
        with place.connect(env={"PATH": "/usr/bin:/bin", "WHO": "somebody"}) as after:
            listed = after.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
            assert [(s.number, s.name, s.cwd) for s in listed] == [
                (2, "two", "/tmp"),
                (1, "one", "/tmp"),
            ]
            until(lambda: session(after, listed[0].session_id)["state"] == "saved")
            after.request(messages.Restart(id=0, session="two"), timeout=20)
            wait_for(after, listed[0].session_id, "somebody")
            assert session(after, create(after, "sleep 1000"))["number"] == 4


def _saved(place: Place) -> list[str]:
    """Names in the order on disk."""
    with sqlite3.connect(place.home / "state" / "sessions.db") as database:
        rows = database.execute(
            "SELECT json_extract(record, '$.session.name') FROM sessions ORDER BY place"
        ).fetchall()
    database.close()
    return [name for (name,) in rows]
