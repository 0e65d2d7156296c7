"""Stopping a session ends its whole tree, and nothing else (N-22, NB-11)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.pty import posix
from nagomi_worker.wire import protocol
from tests.helpers.waiting import alive, until
from tests.helpers.worker import own_id, plain_env

if TYPE_CHECKING:
    from tests.helpers.worker import Link

_DAEMON = """
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for fd in (0, 1, 2): os.dup2(os.open(os.devnull, os.O_RDWR), fd)
open(sys.argv[1] + '~', 'w').write(str(os.getpid()))
os.rename(sys.argv[1] + '~', sys.argv[1])
time.sleep(1000)
"""


def _daemon(pid_file: Path, env: str = "") -> str:
    """A command line that leaves a double-forked daemon behind, which tells its pid."""
    return f"{env} {sys.executable} -c '{_quoted(_DAEMON)}' {pid_file}"


def _until_there(file: Path) -> str:
    """Shell words that wait for a file; the end of a leader hangs up who has not left it yet."""
    return f"until [ -e {file} ]; do sleep 0.02; done"


def _quoted(source: str) -> str:
    return source.replace("'", '"')


def _pid(file: Path) -> int:
    return int(until(lambda: file.exists() and file.read_text().strip(), str(file)))


def _stop(link: Link, session_id: str) -> protocol.Exit:
    link.send(protocol.StopSession(session_id=session_id))
    return link.wait(protocol.Exit, session_id)


def _with_number(pid: int) -> subprocess.Popen[bytes]:
    """Start a process that has the number of one that has ended."""
    for _ in range(100):
        try:
            Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
        except OSError:
            pytest.skip("only root of a machine chooses the number of a process")
        if (started := subprocess.Popen(["sleep", "1000"], start_new_session=True)).pid == pid:
            return started
        started.kill()
        started.wait()
    pytest.skip("others took the number")


@pytest.mark.requirement("N-103")
def test_who_got_the_number_of_a_process_that_ended_is_not_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A session may be stopped hours after its first process has left some others behind."""
    first = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    tree = posix.ProcessTree("some session", first.pid)
    assert [left.pid for left in tree.look()] == [first.pid]
    first.kill()
    first.wait()
    time.sleep(2 / os.sysconf("SC_CLK_TCK"))  # the kernel notes a start in these units
    other = _with_number(first.pid)
    try:
        monkeypatch.setattr(posix, "_KNOWN_SECONDS", 0.0)
        assert tree.look() == []
    finally:
        other.kill()
        other.wait()


@pytest.mark.requirement("N-103", "NB-11")
def test_stop_ends_setsid_daemon_and_hup_ignoring_children(link: Link, tmp_path: Path) -> None:
    script = (
        f"setsid sleep 1000 & echo $! > {tmp_path}/setsid; "
        f"(trap '' HUP TERM; echo $$ > {tmp_path}/x; exec sleep 1000) & echo $! > {tmp_path}/deaf; "
        f"{_daemon(tmp_path / 'daemon')}; echo ready; sleep 1000"
    )
    started = link.start("a", script)
    link.wait_text("a", "ready")
    pids = [_pid(tmp_path / name) for name in ("setsid", "deaf", "daemon")]
    assert all(alive(pid) for pid in pids)
    ended = _stop(link, "a")
    assert ended.left == ()
    assert not any(alive(pid) for pid in [*pids, started.pid])


def test_stop_spares_other_sessions_and_nagomis_own_daemons(link: Link, tmp_path: Path) -> None:
    other = link.start("b", "sleep 1000")
    mark = f"NAGOMI_SESSION_ID={own_id('b')}"
    script = (
        f"{_daemon(tmp_path / 'own', 'NAGOMI_DAEMON=1')}; "
        f"{_daemon(tmp_path / 'foreign', mark)}; "
        f"NAGOMI_DAEMON=1 setsid sh -c 'env -u NAGOMI_DAEMON sleep 1000 & "
        f"echo $! > {tmp_path}/below; echo $$ > {tmp_path}/above; wait' & "
        "echo ready; sleep 1000"
    )
    link.start("a", script)
    link.wait_text("a", "ready")
    spared = [_pid(tmp_path / name) for name in ("own", "foreign", "above", "below")]
    try:
        _stop(link, "a")
        assert all(alive(pid) for pid in [*spared, other.pid])
    finally:
        for pid in spared:
            os.kill(pid, signal.SIGKILL)


def test_a_daemon_that_cleared_its_environment_is_still_found(link: Link, tmp_path: Path) -> None:
    script = f"setsid sh -c 'env -i sleep 1000 & echo $! > {tmp_path}/bare; wait' & echo ready; sleep 1000"
    link.start("a", script)
    pid = _pid(tmp_path / "bare")
    _stop(link, "a")
    assert not alive(pid)


def test_stop_spares_the_process_session_that_a_marked_process_stands_in(link: Link) -> None:
    """A program elsewhere may have the session's mark; whoever started it is not the session's."""
    mark = f"NAGOMI_SESSION_ID={own_id('marked')}"
    script = f"{mark} sleep 1000 & echo $!; wait $!; echo ended; exec sleep 1000"
    with subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as elsewhere:
        try:
            assert elsewhere.stdout is not None
            marked = int(elsewhere.stdout.readline())
            link.start("marked", "sleep 1000")
            _stop(link, "marked")
            assert elsewhere.stdout.readline() == "ended\n" and not alive(marked)
            assert elsewhere.poll() is None
        finally:
            os.killpg(elsewhere.pid, signal.SIGKILL)


def test_a_stopped_process_is_woken_to_end(link: Link, tmp_path: Path) -> None:
    link.start("a", f"sleep 1000 & kill -STOP $!; echo $! > {tmp_path}/pid; wait")
    pid = _pid(tmp_path / "pid")
    _stop(link, "a")
    assert not alive(pid)


def test_a_process_that_forks_while_it_is_stopped_does_not_get_away(
    link: Link, tmp_path: Path
) -> None:
    spawn = f"sleep 1000 & echo $! > {tmp_path}/late; trap - HUP TERM; sleep 1000"
    link.start("a", f"trap '{spawn}' HUP; echo ready; while :; do sleep 0.01; done")
    link.wait_text("a", "ready")
    _stop(link, "a")
    assert not alive(_pid(tmp_path / "late"))


def test_what_a_command_leaves_behind_is_listed_not_killed(link: Link, tmp_path: Path) -> None:
    file = tmp_path / "daemon"
    ended = link.run("a", f"setsid sleep 998 & {_daemon(file)}; {_until_there(file)}")
    daemon = _pid(tmp_path / "daemon")
    assert "sleep 998" in [one.command for one in ended.left]
    assert daemon in [one.pid for one in ended.left]
    assert all(alive(one.pid) for one in ended.left)
    before = len(link.heard)
    link.send(protocol.StopSession(session_id="a"))
    assert link.wait(protocol.Exit, "a", after=before).left == ()
    assert not any(alive(one.pid) for one in ended.left)


def test_other_sessions_flow_while_one_is_being_stopped(link: Link) -> None:
    link.start("deaf", "trap '' HUP TERM; echo ready; while :; do sleep 1; done")
    link.start("b", "cat")
    link.wait_text("deaf", "ready")
    link.send(protocol.StopSession(session_id="deaf"))
    link.type("b", "still here\n")
    link.wait_text("b", "still here\r\nstill here\r\n")
    assert not any(isinstance(one, protocol.Exit) for one in link.heard)
    assert link.wait(protocol.Exit, "deaf").signal == signal.SIGKILL


def test_orphans_are_reaped(link: Link, tmp_path: Path) -> None:
    file = tmp_path / "daemon"
    link.run("a", f"{_daemon(file)}; {_until_there(file)}")
    pid = _pid(tmp_path / "daemon")
    os.kill(pid, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{pid}"), "reaping of the orphan")


@pytest.mark.requirement("NB-18")
def test_the_end_of_a_command_says_whether_the_worker_has_ended_it(link: Link) -> None:
    killed = link.start("killed", "sleep 1000").pid
    link.start("told", "sleep 1000")
    link.start("itself", "exit 3")
    os.kill(killed, signal.SIGTERM)
    link.send(protocol.StopSession(session_id="told"))
    ends = {name: link.wait(protocol.Exit, name) for name in ("killed", "told", "itself")}
    assert {name: end.stopped for name, end in ends.items()} == {
        "killed": False, "told": True, "itself": False
    }  # fmt: skip
    assert ends["killed"].signal == signal.SIGTERM


@pytest.mark.requirement("NB-18")
def test_a_shutdown_that_reaches_commands_first_has_ended_them(
    link: Link, request: pytest.FixtureRequest
) -> None:
    pid = link.start("a", "sleep 1000").pid
    os.kill(pid, signal.SIGTERM)
    until(lambda: not alive(pid))
    request.getfixturevalue("worker").process.terminate()
    assert link.wait(protocol.Exit, "a").stopped


@pytest.mark.parametrize("end", ["quit", "SIGTERM"])
def test_the_end_of_the_worker_leaves_nothing(
    link: Link, tmp_path: Path, end: str, request: pytest.FixtureRequest
) -> None:
    link.start("a", f"{_daemon(tmp_path / 'daemon')}; sleep 1000")
    pid = _pid(tmp_path / "daemon")
    process: subprocess.Popen[bytes] = request.getfixturevalue("worker").process
    if end == "quit":
        link.send(protocol.Quit())
    else:
        process.send_signal(signal.SIGTERM)
    link.wait(protocol.Exit, "a")
    assert process.wait(5) == 0
    assert not alive(pid)


def test_the_child_has_a_session_mark_and_no_daemon_mark(link: Link) -> None:
    link.run(
        "a",
        "echo id=$NAGOMI_SESSION_ID daemon=$NAGOMI_DAEMON",
        env={**plain_env(), "NAGOMI_DAEMON": "1"},
    )
    assert link.text("a") == f"id={own_id('a')} daemon=\r\n"


def test_a_look_without_proc_sees_the_same(link: Link) -> None:
    from nagomi_worker.pty.posix import scan, see_by_psutil

    pid = link.start("marked", "sleep 1000").pid
    assert scan()[pid] == see_by_psutil(pid)
    assert scan()[pid].session_id == own_id("marked")
