"""What a worker tells of the processes in the foreground, and when it looks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from nagomi_worker.pty.activity import Activity, Process
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.helpers.worker import Link

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


def told(link: Link, session_id: str) -> list[Activity]:
    return [
        msgspec.json.decode(message.detail or "", type=Activity)
        for message in link.heard
        if isinstance(message, protocol.Phase) and message.session_id == session_id
    ]


def tells(link: Link, session_id: str, what: Callable[[Activity], bool]) -> Activity:
    def found() -> Activity | None:
        return next((one for one in reversed(told(link, session_id)) if what(one)), None)

    seen: Activity = link.wait_until(found, "such an activity")
    return seen


def reads(activity: Activity) -> bool:
    return any(process.reads for process in activity.procs)


@pytest.mark.requirement("N-106")
def test_a_read_of_the_terminal_is_seen(link: Link) -> None:
    link.start("a", "sh -c 'printf \"go on? \"; read answer; exec sleep 60'")
    seen = tells(link, "a", reads)
    assert (seen.shell, seen.icanon, seen.echo) == (True, True, True)
    link.type("a", "yes\r")
    tells(link, "a", lambda one: any(process.comm == "sleep" for process in one.procs))


def test_a_reader_in_a_session_without_a_terminal_belongs_to_who_started_it(link: Link) -> None:
    """So `su -c` starts commands. What else runs in one, such as a daemon, is no part of it."""
    link.start("a", "sh -c 'setsid -f sleep 60; setsid -w sh -c \"printf sure?; read answer\"'")
    seen = tells(link, "a", reads)
    assert "sleep" not in {process.comm for process in seen.procs}


def test_a_password_prompt_has_no_echo(link: Link) -> None:
    link.start("a", "sh -c 'stty -echo; printf \"Password: \"; read secret'")
    seen = tells(link, "a", reads)
    assert (seen.icanon, seen.echo) == (True, False)


def test_a_password_that_is_typed_at_once_is_told_of_before(link: Link) -> None:
    """Else it is over when the processes are looked at, and whoever typed it would keep it."""
    link.start("a", "sh -c 'stty -echo; printf ready; read secret; stty echo; sleep 60'")
    link.wait_text("a", "ready")
    link.type("a", "hunter2\r")
    tells(link, "a", lambda one: one.icanon and not one.echo)


def test_the_foreground_group_is_not_the_shell_that_started_it(link: Link) -> None:
    link.start("a", "bash --norc -i")
    tells(link, "a", lambda one: one.shell and not one.icanon)
    link.type("a", "sleep 60 | cat\r")
    tells(link, "a", lambda one: {"cat", "sleep"} == {process.comm for process in one.procs})


def test_a_silent_change_is_seen_too(link: Link) -> None:
    link.start("a", "sh -c 'sleep 1; read answer'")
    tells(link, "a", lambda one: not reads(one))
    tells(link, "a", reads)


def test_a_session_that_waits_is_soon_left_alone(link: Link) -> None:
    link.start("a", "cat")
    tells(link, "a", reads)
    before = len(told(link, "a"))
    link.type("a", "x")
    link.wait_until(lambda: len(told(link, "a")) > before, "a look after typing")
    settled = len(told(link, "a"))
    for _ in range(20):
        link.pump(0.05)
    assert len(told(link, "a")) == settled


def test_whoever_attaches_is_told(link: Link) -> None:
    link.start("a", "cat")
    tells(link, "a", reads)
    before = len(told(link, "a"))
    link.send(protocol.Attach(session_id="a"))
    link.wait_until(lambda: len(told(link, "a")) > before, "a look after attaching")


def test_equal_looks_differ_in_nothing_but_time() -> None:
    process = Process(pid=1, comm="sh", st="S", cpu=1, wchan="wait_woken", sys="0 0x0")
    one = Activity(fg=1, shell=True, icanon=True, echo=True, procs=(process,))
    later = msgspec.structs.replace(one, procs=(msgspec.structs.replace(process, cpu=9),))
    assert one.same(later)
    assert later.worked_since(one)
    assert not one.worked_since(one)
