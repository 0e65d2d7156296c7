"""Whoever connects, and however often: a worker and its sessions stay."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire import protocol as say
from tests.helpers.limits import out_of_files
from tests.helpers.worker import Link

if TYPE_CHECKING:
    from tests.helpers.worker import Worker

CONNECTS = 1000


def connected(worker: Worker) -> socket.socket:
    """Return a connection that says nothing."""
    one = socket.socket(socket.AF_UNIX)
    try:
        one.connect(str(worker.path))
    except OSError:
        one.close()
        raise
    return one


def test_sessions_outlive_any_number_of_connections(worker: Worker, link: Link) -> None:
    pid = link.start("a", "cat").pid
    before = connected(worker)
    for _ in range(CONNECTS):
        one = connected(worker)
        before.close()
        before = one
    before.close()
    assert worker.process.poll() is None
    again = worker.link()
    again.send(say.ListSessions())
    [found] = again.wait(say.Sessions).sessions
    assert (found.session_id, found.pid) == ("a", pid)


def test_without_a_free_file_it_waits_with_those_who_come(worker: Worker, link: Link) -> None:
    link.start("a", "cat")
    with out_of_files(worker.process.pid):
        waiting = connected(worker)
        link.type("a", "one\n")
        link.wait_text("a", "one\r\none\r\n")
        worker.process.send_signal(0)
    with waiting:
        late = Link(waiting)
        late.hello()
        late.wait(say.Hello)
        late.send(say.Attach(session_id="a"))
        late.wait_text("a", "one\r\none\r\n")
    worker.process.terminate()
    worker.process.wait(10)
    assert worker.process.stderr is not None
    assert worker.process.stderr.read().decode().count("Too many open files") == 1


def test_nothing_is_called_of_a_descriptor_that_is_not_watched_any_more() -> None:
    loop, called = Loop(), list[int]()
    pairs = [socket.socketpair() for _ in range(2)]
    reading = [mine for mine, _ in pairs]

    def read(one: socket.socket, other: socket.socket) -> None:
        """Close the other, whose number somebody else gets."""
        called.append(one.fileno())
        loop.unwatch(other.fileno())
        other.close()
        new = socket.socketpair()
        loop.watch(new[0].fileno(), read=lambda: called.append(-1), write=None)
        pairs.append(new)

    for one, other in (reading, reversed(reading)):
        loop.watch(one.fileno(), read=lambda one=one, other=other: read(one, other), write=None)
    for _, theirs in pairs:
        theirs.send(b"x")
    loop.turn(block=True)
    assert len(called) == 1
    for one in [end for pair in pairs for end in pair]:
        one.close()
    loop.close()
