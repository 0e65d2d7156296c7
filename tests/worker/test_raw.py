"""Output as bytes behind a line, for whoever knows it; `output` as ever for all others (N-105)."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.wire import protocol
from nagomi_worker.wire.transport import connect
from tests.helpers.waiting import until
from tests.helpers.worker import Link, worker_env

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.helpers.worker import Worker

_LINES = "".join(f"{number} 日本語\r\n" for number in range(30_000))
_PRINT = f"{sys.executable} -c \"for n in range(30_000): print(n, '日本語')\""
_MIXED = [b"a" * 5000, b"\xff", "é日".encode() * 3000, b"\xc0\x80 \xed\xa0\x80", b"z" * 9000]
_WRITE_MIXED = f"""import os, tty
tty.setraw(1)
for data in {_MIXED!r}:
    os.write(1, data)"""
_PRINT_MIXED = shlex.join((sys.executable, "-c", _WRITE_MIXED))


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.requirement("N-105")
def test_a_flood_comes_whole_to_a_new_and_to_an_old_peer(worker: Worker, raw: bool) -> None:
    link = worker.link(raw=raw)
    link.run("a", _PRINT)
    assert link.text("a") == _LINES
    assert (link.largest > 1) is raw
    end = 0
    for one in link.outputs("a"):
        size = len(one.chunk.encode())
        assert 0 < size <= protocol.CHUNK_BYTES
        end += size
        assert one.offset == end


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.requirement("NB-9")
def test_bytes_that_are_not_utf8_are_replaced_in_their_place(worker: Worker, raw: bool) -> None:
    link = worker.link(raw=raw)
    link.run("a", _PRINT_MIXED)
    whole = b"".join(_MIXED)
    assert link.text("a") == whole.decode("utf-8", "replace")
    assert link.outputs("a")[-1].offset == len(whole)
    assert (link.largest > 1) is raw


@pytest.mark.parametrize("command", [_PRINT, _PRINT_MIXED])
def test_a_replay_is_the_same_for_a_new_and_for_an_old_peer(worker: Worker, command: str) -> None:
    first = worker.link()
    first.run("a", command)
    first.close()
    for raw in (True, False, True):
        link = worker.link(raw=raw)
        link.send(protocol.Attach(session_id="a"))
        link.wait(protocol.Exit, "a")
        assert link.outputs("a") == first.outputs("a")
        assert (link.largest > 1) is raw
        link.close()


def test_other_messages_stand_between(worker: Worker) -> None:
    link = worker.link()
    link.start("a", _PRINT)
    for _ in range(50):
        link.send(protocol.Ping(), protocol.ListSessions())
        link.pump(0.005)
    link.wait(protocol.Exit, "a")
    assert link.text("a") == _LINES
    link.wait_until(
        lambda: sum(isinstance(one, protocol.Pong) for one in link.heard) == 50, "every answer"
    )


@pytest.fixture
def bridge(folder: Path) -> Iterator[list[str]]:
    """Arguments for a bridge to a worker that stays, which is ended afterwards."""
    path = folder / "w"
    yield ["--resident", "--socket", str(path)]
    link = Link(connect(path))
    link.hello()
    link.send(protocol.Quit())
    until(lambda: not path.exists(), "the end of the worker")
    link.close()


@pytest.mark.requirement("N-24")
def test_bytes_pass_a_bridge_unharmed(bridge: list[str]) -> None:
    check_stdio(*bridge)


@pytest.mark.requirement("N-24")
def test_bytes_are_sent_on_stdout_too() -> None:
    check_stdio()


def check_stdio(*arguments: str) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "nagomi_worker", "--stdio", *arguments],
            env=worker_env(), stdin=theirs, stdout=theirs,
        )  # fmt: skip
    link = Link(ours)
    link.hello()
    link.run("a", _PRINT_MIXED)
    assert link.text("a") == b"".join(_MIXED).decode("utf-8", "replace")
    assert link.largest > 1
    link.close()
    assert process.wait(10) == 0
