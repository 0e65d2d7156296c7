"""A PTY that floods is read in a thread: all of it, in order, no further ahead than is taken."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.wire import protocol
from tests.helpers.waiting import PATIENCE, until

if sys.platform != "linux":
    pytest.skip("read in threads on Linux only", allow_module_level=True)

from nagomi_worker.pty.posix import PosixPty
from nagomi_worker.sessions import reading_thread
from nagomi_worker.sessions.reading_thread import ReadingThread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.worker import Link, Worker


@pytest.fixture
def pty() -> Iterator[tuple[PosixPty, int]]:
    """The master side of a raw terminal, and the descriptor of its other side."""
    import pty as ptys
    import tty

    master, other = ptys.openpty()
    tty.setraw(other)
    ours = PosixPty(os.getpid(), master)
    yield ours, other
    ours.close()
    os.close(other)


def all_of(thread: ReadingThread) -> bytes:
    """Take what the thread reads until it is over."""
    taken = b""
    while True:
        is_over, piece = thread.over, thread.take(100_000)
        taken += piece
        if is_over and not piece:
            return taken


def rest_of(pty: PosixPty) -> bytes:
    """Read what no thread has read."""
    rest = b""
    while True:
        try:
            rest += pty.read(4096)
        except BlockingIOError:
            return rest


def test_it_reads_until_nothing_comes(pty: tuple[PosixPty, int]) -> None:
    ours, other = pty
    os.write(other, b"a few words")
    assert all_of(ReadingThread(ours)) == b"a few words"
    os.write(other, b"and more")
    assert ours.read(100) == b"and more"


def test_what_nobody_takes_is_left_to_the_program(
    pty: tuple[PosixPty, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_thread, "_PATIENCE", 1.0)  # whoever writes may be kept waiting
    ours, other = pty
    thread = ReadingThread(ours)
    os.set_blocking(other, False)
    written, end = 0, time.monotonic() + PATIENCE
    while not thread.over and time.monotonic() < end:
        try:
            written += os.write(other, b"x" * 4096)
        except BlockingIOError:
            time.sleep(0.001)
    assert thread.over
    assert 512 * 1024 <= thread.held <= 512 * 1024 + 16 * 1024
    assert len(all_of(thread)) + len(rest_of(ours)) == written


def test_no_more_is_taken_than_is_asked_for(pty: tuple[PosixPty, int]) -> None:
    ours, other = pty
    thread = ReadingThread(ours)
    os.write(other, b"one two three")
    until(lambda: thread.held == 13, "what is read")
    assert [thread.take(4), thread.take(4), thread.take(100)] == [b"one ", b"two ", b"three"]
    assert thread.held == 0
    thread.join()


def test_a_fork_ends_it_first(pty: tuple[PosixPty, int]) -> None:
    ours, other = pty
    thread = ReadingThread(ours)
    os.write(other, b"before")
    if (child := os.fork()) == 0:
        os._exit(0 if thread.over else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert all_of(thread) + rest_of(ours) == b"before"


def is_read_in_a_thread(worker: Worker) -> bool:
    return len(os.listdir(f"/proc/{worker.process.pid}/task")) > 1


@pytest.mark.alone
def test_a_flood_is_read_in_a_thread_that_ends_with_it(worker: Worker, link: Link) -> None:
    link.start("a", "yes")
    link.wait_until(lambda: is_read_in_a_thread(worker), "the thread")
    link.type("a", "\x03")
    link.wait(protocol.Exit, "a")
    link.wait_until(lambda: not is_read_in_a_thread(worker), "the end of the thread")


@pytest.mark.slow
@pytest.mark.requirement("N-20")
def test_a_flood_that_a_thread_reads_arrives_whole(worker: Worker, link: Link) -> None:
    link.start("a", "seq 1 1000000")
    link.wait_until(lambda: is_read_in_a_thread(worker), "the thread")
    link.send(protocol.Resize(session_id="a", cols=100, rows=30))
    link.wait(protocol.Exit, "a")
    assert link.text("a") == "".join(f"{number}\r\n" for number in range(1, 1_000_001))


@pytest.mark.alone
def test_a_flood_is_read_in_turn_again_once_another_session_prints(
    worker: Worker, link: Link
) -> None:
    link.start("a", "yes")
    link.wait_until(lambda: is_read_in_a_thread(worker), "the thread")
    link.start("b", "yes")
    link.wait_until(lambda: not is_read_in_a_thread(worker), "the end of the thread")


@pytest.mark.alone
def test_what_is_started_beside_a_flood_runs(worker: Worker, link: Link) -> None:
    link.start("a", "yes")
    link.wait_until(lambda: is_read_in_a_thread(worker), "the thread")
    link.run("b", "echo here")
    assert link.text("b") == "here\r\n"
