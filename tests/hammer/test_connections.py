"""500 connections that come, stay, say half of something or do not read."""

from __future__ import annotations

import contextlib
import resource
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import psutil
import pytest

from nagomi_tui import __version__
from nagomi_tui.api import messages as m
from nagomi_tui.system import paths
from tests.hammer.sockets import all_echo, echoing, open_socket, workers
from tests.hammer.vitals import answers, well
from tests.helpers.waiting import until
from tests.helpers.workplace import Place, create

if TYPE_CHECKING:
    import random
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Seen = Callable[[str], None]


@pytest.fixture
def names(place: Place) -> list[str]:
    """Sessions that must live through it."""
    with place.connect() as connection:
        return echoing(connection, 3)


@contextmanager
def held(path: Path, count: int, said: bytes = b"") -> Iterator[list[socket.socket]]:
    """Hold connections that have said this, until the block ends."""
    with ExitStack() as stack:
        made = [stack.enter_context(open_socket(path)) for _ in range(count)]
        for connection in made:
            with contextlib.suppress(OSError):  # a worker hears some of them at a time
                connection.sendall(said)
        yield made


def files(pid: int) -> int:
    return psutil.Process(pid).num_fds()


def test_150_that_come_and_go(place: Place, names: list[str], seen: Seen) -> None:
    before = files(place.orchestrator)
    for _ in range(150):
        open_socket(paths.front_end_socket()).close()
    until(lambda: files(place.orchestrator) <= before + 5, "the connections are closed")
    all_echo(place, names, "after")
    seen(f"{before} files before, {files(place.orchestrator)} after")


def test_150_that_stay_and_say_nothing_or_half(place: Place, names: list[str], seen: Seen) -> None:
    front = paths.front_end_socket()
    with held(front, 75), held(front, 75, b'{"type":"hel'):
        took = answers(place)
        all_echo(place, names, "meanwhile")
    all_echo(place, names, "after")
    seen(f"with all of them a new client is answered in {took:.2f} s")


def test_50_that_do_not_read(place: Place, names: list[str], seen: Seen) -> None:
    hello = m.encode(m.Hello(version=__version__, front_end=True))
    with place.connect() as connection:
        flood = create(connection, "yes nagomi nagomi nagomi nagomi")
    looks = [m.View(view=n, session=flood, cols=120, rows=30) for n in range(1, 5)]
    with held(paths.front_end_socket(), 50, hello + b"".join(map(m.encode, looks))):
        time.sleep(3)
        took = answers(place)
        all_echo(place, names, "meanwhile")
        seen(f"while they sleep: {well(place)}")
    seen(f"a new client is answered in {took:.2f} s")


def test_100_to_the_workers(place: Place, names: list[str], dice: random.Random) -> None:
    """None takes the orchestrator's place, and no session ends by it."""
    for _ in range(100):
        open_socket(dice.choice(workers())).close()
    all_echo(place, names, "after")


def test_50_that_stay_at_the_workers(place: Place, names: list[str], dice: random.Random) -> None:
    with ExitStack() as stack:
        for said in (b"", b'{"type":"hel') * 25:
            stack.enter_context(held(dice.choice(workers()), 1, said))
    all_echo(place, names, "after")


def test_more_than_there_are_files(place: Place, names: list[str], seen: Seen) -> None:
    """The orchestrator runs out of files: it waits until there are some, and goes on."""
    limit = resource.prlimit(place.orchestrator, resource.RLIMIT_NOFILE)
    resource.prlimit(place.orchestrator, resource.RLIMIT_NOFILE, (128, limit[1]))
    before = place.orchestrator
    with held(paths.front_end_socket(), 200):
        time.sleep(2)
    until(lambda: files(place.orchestrator) < 100, "the connections are closed")
    assert place.orchestrator == before, "it was another orchestrator that went on"
    took = answers(place)
    all_echo(place, names, "after")
    seen(f"answers in {took:.2f} s after 200 connections to 128 files")


def test_workers_without_files(place: Place, names: list[str], seen: Seen) -> None:
    """A worker runs out of files: its sessions run on."""
    for pid in place.workers:
        hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (files(pid) + 2, hard))
    for path in workers():
        with held(path, 20):
            time.sleep(0.3)
    all_echo(place, names, "after")
    seen("20 connections to each worker with 2 files free")
