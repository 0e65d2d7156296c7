"""Workers whose orchestrator has lost sight of them are found again, and nothing runs twice."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.system import folders, paths
from nagomi_worker.runtime import files
from tests.helpers.waiting import alive, in_time
from tests.helpers.workplace import create, session, until, wait_for, workplace
from tests.orchestrator.test_other_workers import worker_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

_PATIENCE = 60.0
"""A worker looks after its place every half minute."""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as one:
        yield one


def begun(place: Place) -> tuple[str, int]:
    """Start a session, and return its id and its process."""
    with place.connect() as connection:
        started = create(connection, "sh -c 'echo begun; exec cat'")
        wait_for(connection, started, "begun")
        return started, session(connection, started)["pid"]


def state_of(place: Place, session_id: str) -> str:
    with place.connect() as connection:
        return str(session(connection, session_id)["state"])


def test_sessions_of_a_deleted_folder_are_neither_saved_nor_started_twice(place: Place) -> None:
    started, pid = begun(place)
    (worker,) = place.workers
    os.kill(worker, signal.SIGSTOP)  # else it may put its socket back before anybody looks
    shutil.rmtree(paths.socket_folder())
    place.kill(place.orchestrator)
    with place.connect() as connection:
        until(lambda: "cannot be reached" in paths.log_file().read_text())
        assert session(connection, started)["state"] == "running"
        for order in (
            messages.Restart(id=0, session=started),
            messages.Stop(id=0, session=started),
            messages.Send(id=0, session=started, text="x"),
            messages.Keys(id=0, session=started, keys=("x",)),
        ):
            with pytest.raises(RequestFailed, match="cannot be reached"):
                connection.request(order, timeout=20)
        os.kill(worker, signal.SIGCONT)
        until(lambda: answers(place, started), patience=_PATIENCE)
        assert session(connection, started)["pid"] == pid and alive(pid)


def answers(place: Place, session_id: str) -> bool:
    """Tell whether what is typed comes back."""
    with place.connect() as connection:
        word = f"word{time.monotonic_ns()}"
        connection.send(messages.TypeText(session=session_id, text=f"{word}\r"))
        order = messages.Wait(id=0, session=session_id, until="output", pattern=word, timeout=1)
        return connection.request(order, timeout=20).reason == "output"


def test_a_lost_session_that_ends_unseen_is_laid_aside(place: Place) -> None:
    started, pid = begun(place)
    worker = place.workers[0]
    os.kill(worker, signal.SIGSTOP)
    shutil.rmtree(paths.socket_folder())
    place.kill(place.orchestrator)
    assert state_of(place, started) == "running"
    os.kill(pid, signal.SIGKILL)
    until(lambda: state_of(place, started) == "saved", patience=_PATIENCE)


def test_a_worker_that_was_stopped_is_taken_in_when_it_speaks(place: Place) -> None:
    started, pid = begun(place)
    (worker,) = place.workers
    os.kill(worker, signal.SIGSTOP)
    place.kill(place.orchestrator)
    until(lambda: "cannot be reached" in paths.log_file().read_text(), patience=_PATIENCE)
    assert state_of(place, started) == "running"
    os.kill(worker, signal.SIGCONT)
    until(lambda: answers(place, started), patience=_PATIENCE)
    with place.connect() as connection:
        assert session(connection, started)["pid"] == pid


def test_what_outlives_its_worker_is_not_taken_for_held(place: Place) -> None:
    """It ignores the hang-up; nobody holds its terminal any more, and it can be started again."""
    with place.connect() as connection:
        started = create(connection, "trap '' HUP; echo begun; while :; do sleep 1; done")
        wait_for(connection, started, "begun")
        pid = session(connection, started)["pid"]
    place.end_residents()
    for worker in place.workers:
        place.kill(worker)
    place.start()
    until(lambda: state_of(place, started) == "saved")
    assert alive(pid)


def test_dead_workers_leave_nothing(place: Place) -> None:
    begun(place)
    (worker,) = place.workers
    place.kill(worker)
    until(lambda: not list(paths.socket_folder().glob(".w-*")))
    assert not list(paths.socket_folder().glob("w-*"))


def test_what_workers_left_that_died_with_everything_is_swept(place: Place) -> None:
    begun(place)
    place.end()
    folder = paths.socket_folder()
    assert list(folder.glob(".w-*.lock")) and list(folder.glob("w-*"))
    left = {path.name for path in folder.iterdir() if "w-" in path.name}
    place.start()
    until(lambda: left.isdisjoint(path.name for path in folder.iterdir()))


def test_a_live_worker_is_never_swept(place: Place) -> None:
    begun(place)
    (path,) = paths.socket_folder().glob("w-*")
    files.sweep(path)
    assert path.exists()


def test_quit_leaves_no_folder_of_sockets() -> None:
    for home in (None, far_home()):
        with workplace(home=home) as place:
            folder = paths.make_socket_folder()
            begun(place)
            assert list(folder.glob("w-*"))
            with place.connect() as connection:
                connection.request(messages.Quit(id=0), timeout=20)
            until(lambda: not place.pids(), patience=_PATIENCE)
            assert not folder.exists()


def far_home() -> Path:
    """Return a home whose path is too long for a socket."""
    return Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"), "x" * 100)


def test_another_temporary_folder_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    with workplace(home=far_home()) as place, tempfile.TemporaryDirectory() as other:
        started, pid = begun(place)
        assert str(paths.socket_folder()).startswith("/tmp/nagomi-")
        monkeypatch.setenv("TMPDIR", other)
        with place.connect() as connection:
            assert session(connection, started)["pid"] == pid
        place.end_residents()
        place.start()
        with place.connect() as connection:
            assert session(connection, started)["pid"] == pid
        assert os.listdir(other) == []
        shutil.rmtree(paths.socket_folder())


def test_workers_where_the_sockets_were_before_are_adopted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the state folder could not hold sockets at first."""
    with workplace(start=False) as place:
        now = folders.chosen()
        with monkeypatch.context() as before:
            before.setattr(folders, "chosen", lambda: folders.places()[-1])
            old = paths.make_socket_folder()
        assert str(old).startswith("/tmp/nagomi-")
        (paths.state_folder() / "sockets").unlink()
        with worker_at(old / "w-01234567"):
            place.start()
            assert str(paths.socket_folder()) == now
            until(lambda: place_workers(place) == ["w-01234567"])
            monkeypatch.setenv("NAGOMI_SOCKET", str(old / "front"))
            assert folders.places()[0] == str(old)
            started, _ = begun(place)
            with place.connect() as connection:
                connection.request(messages.Quit(id=0), timeout=20)
            gone = in_time(lambda: not (place.pids() or old.exists()), _PATIENCE)
            assert gone, f"not gone in time: {place.pids()}, {[*map(str, old.glob('**/*'))]}"
        assert started


def place_workers(place: Place) -> list[str]:
    with place.connect() as connection:
        told = connection.request(messages.Status(id=0), timeout=20).workers
        return [worker.name for worker in told]
