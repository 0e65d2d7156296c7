"""Whoever connects, and however often: a worker and its sessions stay."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.resident import MOST, Arrivals
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire import protocol
from tests.helpers.limits import out_of_files
from tests.helpers.waiting import until
from tests.helpers.worker import Link

if TYPE_CHECKING:
    from nagomi_worker.wire.peer import Stream
    from tests.helpers.worker import Worker

GOLDEN = Path(__file__).parent.parent / "golden" / "to_worker_extensions.ndjson"
HELLOS = [line for line in GOLDEN.read_text().splitlines() if '"hello"' in line]

CONNECTS = 1000
STRANGE = {
    "nothing": b"",
    "half a hello": b'{"type":"hel',
    "a hello without its end": b'{"type":"hello","version":1,"capabilities":[],"pid":1}',
    "garbage": bytes(range(256)) * 64 + b"\n",
    "no end": b"x" * 100_000,
    "empty lines": b"\n" * 100_000,
    "deep nesting": b"[" * 200_000 + b"\n",
    "another message": b'{"type":"ping"}\n',
    "a message of the future": b'{"type":"fly"}\n',
    "a hello that does not fit": b'{"type":"hello","version":"one"}\n',
}
"""What no orchestrator says first."""


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
    again.send(protocol.ListSessions())
    [found] = again.wait(protocol.Sessions).sessions
    assert (found.session_id, found.pid) == ("a", pid)


@pytest.mark.parametrize("said", STRANGE.values(), ids=STRANGE)
def test_no_word_is_lost_by_a_connection_that_is_nobody(
    worker: Worker, link: Link, said: bytes
) -> None:
    link.start("a", "stty -echo; echo ready; cat")
    link.wait_text("a", "ready")
    words = [f"<{n}>" for n in range(40)]
    with contextlib.ExitStack() as stack:
        for word in words:
            link.type("a", f"{word}\n")
            one = stack.enter_context(connected(worker))
            with contextlib.suppress(OSError):  # the worker has closed it already
                one.sendall(said)
        link.wait_text("a", words[-1])
    assert link.text("a").split() == ["ready", *words]
    assert not link.ended


def test_a_hello_in_pieces_is_a_hello(worker: Worker, link: Link) -> None:
    link.start("a", "cat")
    hello = protocol.encode(protocol.Hello(version=1, capabilities=("ack",), pid=1))
    with connected(worker) as connection:
        late = Link(connection)
        for n in range(len(hello)):
            late.send_bytes(hello[n : n + 1])
        late.send(protocol.Attach(session_id="a"))
        late.wait(protocol.Hello)
        late.wait(protocol.Attached, "a")
        link.wait_until(lambda: link.ended, "the end of the one before")


@pytest.mark.parametrize("line", HELLOS, ids=range(len(HELLOS)))
def test_every_orchestrator_that_there_was_is_let_in(worker: Worker, line: str) -> None:
    link = worker.link(greet=False)
    link.send_bytes(f"{line}\n".encode())
    link.wait(protocol.Hello)


def test_who_says_nothing_is_let_go() -> None:
    loop, came = Loop(), list["Stream"]()
    arrivals = Arrivals(loop, lambda stream, _: came.append(stream), seconds=0.1)
    ours, theirs = socket.socketpair()
    with ours:
        arrivals.add(theirs, lambda _: True)
        ours.sendall(b'{"type":"hel')
        until(lambda: loop.turn(block=False) or theirs.fileno() < 0, "the deadline")
        assert ours.recv(1) == b""
    assert came == []
    loop.close()


def test_of_those_who_wait_the_newest_are_kept() -> None:
    loop, came = Loop(), list["Stream"]()
    arrivals = Arrivals(loop, lambda stream, _: came.append(stream))
    pairs = [socket.socketpair() for _ in range(20)]
    for _, theirs in pairs:
        arrivals.add(theirs, lambda _: True)
    kept = [ours for ours, theirs in pairs if theirs.fileno() >= 0]
    assert kept == [ours for ours, _ in pairs[-MOST:]]
    kept[0].sendall(protocol.encode(protocol.Hello(version=1, capabilities=(), pid=1)))
    until(lambda: loop.turn(block=False) or came, "the client")
    arrivals.close()
    assert [theirs.fileno() >= 0 for _, theirs in pairs].count(True) == 1
    for one in [*came, *[ours for ours, _ in pairs]]:
        one.close()
    loop.close()


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
        late.wait(protocol.Hello)
        late.send(protocol.Attach(session_id="a"))
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
