"""The first `nagomi` starts the orchestrator, once, and says clearly when it cannot."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from nagomi_tui.api import client, launch, messages
from nagomi_tui.api.launch import ensure_running
from nagomi_tui.system import paths
from tests.helpers.workplace import create, until, wait_for, workplace


def parent_of(pid: int) -> int:
    """Return the parent's process id; 0 where the process is gone by now."""
    try:
        return psutil.Process(pid).ppid()
    except psutil.NoSuchProcess:
        return 0


@pytest.mark.requirement("N-111")
def test_two_starts_at_one_moment_give_one_orchestrator() -> None:
    with workplace(start=False) as place:
        code = "from nagomi_tui.api.launch import ensure_running; ensure_running()"
        starts = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
        assert [start.wait(30) for start in starts] == [0, 0, 0]
        # A child between its fork and its exec looks as its parent does, and is no second one.
        found = place.pids_of("nagomi_tui.orchestrator")
        assert len([pid for pid in found if parent_of(pid) not in found]) == 1
        assert len(place.pids_of("nagomi_tui.orchestrator.supervisor")) == 1


@pytest.mark.requirement("N-11")
def test_resident_processes_leave_the_starter_s_tree_and_marks() -> None:
    with workplace(start=False) as place:
        os.environ["NAGOMI_SESSION_ID"] = "a-session"
        try:
            place.start()
        finally:
            del os.environ["NAGOMI_SESSION_ID"]
        until(lambda: place.workers)
        for pid in place.pids():
            env = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            assert b"NAGOMI_DAEMON=1" in env
            assert not [entry for entry in env if entry.startswith(b"NAGOMI_SESSION_ID=")]
            assert os.readlink(f"/proc/{pid}/cwd") == "/"
            assert os.getsid(pid) != os.getsid(0)


@pytest.mark.requirement("N-27")
def test_the_socket_is_private() -> None:
    with workplace():
        assert stat.S_IMODE(paths.front_end_socket().stat().st_mode) == 0o600
        assert stat.S_IMODE(paths.socket_folder().stat().st_mode) == 0o700


def test_a_home_of_200_characters_works() -> None:
    base = Path("/tmp") / f"ng{os.getpid()}"
    home = base / ("x" * 100) / ("y" * 100)
    home.mkdir(parents=True)
    try:
        with workplace(home=home) as place, place.connect() as connection:
            session_id = create(connection, "sh -c 'echo made it'")
            wait_for(connection, session_id, "made it")
    finally:
        for folder in (home.parent, base):
            if folder.exists():
                folder.rmdir()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc as a place nobody writes")
def test_a_home_that_cannot_be_written_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAGOMI_HOME", "/proc/self/nagomi")
    with pytest.raises(paths.PlaceError) as caught:
        ensure_running()
    assert "could not make its folder /proc/self/nagomi" in str(caught.value)
    assert "NAGOMI_HOME" in str(caught.value)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("ulimit -u full", "no room for another process"),
        ("exit 1", "could not be started"),
        ("exit 0", "No space left on device. Make room"),
    ],
)
def test_what_starts_no_supervisor_is_told_at_once(
    command: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_command: object, **_more: object) -> subprocess.Popen[bytes]:
        if command.startswith("ulimit"):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return subprocess.Popen(["sh", "-c", command])

    def full(**_where: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(launch.process, "start", start)
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(paths.PlaceError, match=told):
        ensure_running(timeout=0.2)


def test_nobody_there_is_said_at_once() -> None:
    with pytest.raises(client.NotServed):
        client.open_socket()


def test_a_stale_socket_does_not_stand_in_the_way() -> None:
    with workplace() as place:
        place.end()
        assert paths.front_end_socket().exists()
        place.start()
        with place.connect() as connection:
            assert connection.request(messages.Ping(id=0), timeout=10) == messages.Nothing()
