"""An orchestrator that comes back gets checkpoint and tail: nothing lost, nothing doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.wire import protocol
from tests.helpers.waiting import until
from tests.helpers.worker import own_id, worker_env

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.worker import Link, Worker

_MEBIBYTE = 1024 * 1024

_VICTIM = """
import socket, sys
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LineSplitter
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
env = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
connection.sendall(
    protocol.encode(protocol.Hello(version=1, capabilities=("ack", "attach", "checkpoint"), pid=1))
    + protocol.encode(protocol.StartSession(session_id=sys.argv[3], cmd=sys.argv[2], cwd="/", env=env, cols=80, rows=24))
)
splitter = LineSplitter()
saved = False
while True:
    for line in splitter.feed(connection.recv(65536)):
        message = protocol.decode_from_worker(line)
        if not isinstance(message, protocol.Output):
            continue
        reply = protocol.encode(protocol.Ack(session_id=sys.argv[3], offset=message.offset))
        if message.offset > 100_000 and not saved:
            saved = True
            reply += protocol.encode(protocol.Checkpoint(session_id=sys.argv[3], offset=message.offset,
                cols=80, rows=24, engine_version="test", data="c25hcA=="))
        connection.sendall(reply)
        if saved is True:
            saved = message.offset
            print(saved, flush=True)
"""


def _checkpoint(link: Link, session_id: str, offset: int, data: str = "c25hcA==") -> None:
    for more, piece in ((True, data[:4]), (False, data[4:])):
        link.send(
            protocol.Checkpoint(
                session_id=session_id, offset=offset, cols=80, rows=24,
                engine_version="test-1", data=piece, more=more,
            )
        )  # fmt: skip


def _light(offset: int, keep_from: int | None = None) -> protocol.Checkpoint:
    return protocol.Checkpoint(
        session_id="a", offset=offset, cols=80, rows=24, engine_version="test-1",
        data="c25hcA==", light=True, keep_from=keep_from,
    )  # fmt: skip


def _attach(link: Link, session_id: str) -> protocol.Attached:
    link.send(protocol.Attach(session_id=session_id))
    attached = link.wait(protocol.Attached, session_id)
    link.wait_until(
        lambda: (
            attached.first_offset == attached.next_offset
            or (link.outputs(session_id) and link.outputs(session_id)[-1].offset or 0)
            >= attached.next_offset
        ),
        "the replay",
    )
    return attached


def test_the_tail_after_a_checkpoint_is_replayed_chunk_by_chunk(worker: Worker) -> None:
    first = worker.link()
    first.start("a", "cat")
    for word in ("one", "two"):
        first.type("a", f"{word}\n")
        first.wait_text("a", f"{word}\r\n{word}\r\n")
    offset = first.outputs("a")[-1].offset
    assert offset is not None
    _checkpoint(first, "a", offset)
    first.type("a", "three\n")
    first.wait_text("a", "three\r\nthree\r\n")
    tail = [one for one in first.outputs("a") if (one.offset or 0) > offset]
    first.close()
    second = worker.link()
    attached = _attach(second, "a")
    assert attached.first_offset == offset
    assert second.outputs("a") == tail
    parts = [one for one in second.heard if isinstance(one, protocol.Checkpoint)]
    assert [(one.offset, one.more, one.data) for one in parts] == [
        (offset, True, "c25h"), (offset, False, "cA=="),
    ]  # fmt: skip
    second.type("a", "four\n")
    second.wait_text("a", "four\r\nfour\r\n")


def test_light_checkpoints_are_told_and_one_becomes_the_base(worker: Worker) -> None:
    first = worker.link()
    first.start("a", "cat")
    offsets = []
    for word in ("one", "two", "three"):
        first.type("a", f"{word}\n")
        first.wait_text("a", f"{word}\r\n{word}\r\n")
        offsets.append(first.outputs("a")[-1].offset or 0)
        first.send(_light(offsets[-1]))
    whole = first.text("a")
    first.close()
    second = worker.link()
    attached = _attach(second, "a")
    assert (attached.first_offset, attached.lights) == (0, tuple(offsets))
    assert second.text("a") == whole
    second.send(_light(offsets[-1], keep_from=offsets[0]))
    second.close()
    third = worker.link()
    attached = _attach(third, "a")
    assert (attached.first_offset, attached.lights) == (offsets[0], tuple(offsets[1:]))
    assert third.text("a") == whole[offsets[0] :]
    assert [one for one in third.heard if isinstance(one, protocol.Checkpoint)] == [
        _light(offsets[0])
    ]


def test_kill_9_of_the_orchestrator_loses_and_doubles_nothing(worker: Worker) -> None:
    until(worker.path.exists, "the socket")
    victim = subprocess.Popen(
        [sys.executable, "-c", _VICTIM, str(worker.path), "seq 1 300000; sleep 1000", own_id("a")],
        env=worker_env(),
        stdout=subprocess.PIPE,
    )
    assert victim.stdout is not None
    saved_at = int(victim.stdout.readline())
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    link = worker.link()
    attached = _attach(link, "a")
    assert attached.first_offset == saved_at
    whole = "".join(f"{number}\r\n" for number in range(1, 300001))
    link.wait_text("a", "300000\r\n")
    assert link.text("a") == whole[saved_at:]


@pytest.mark.slow
def test_without_a_peer_little_is_read_at_first_and_all_later(
    worker: Worker, tmp_path: Path
) -> None:
    over, last = tmp_path / "over", 1_500_000
    first = worker.link()
    first.start("a", f"seq 1 {last}; touch {over}")
    first.wait_text("a", "100\r\n")
    acked = first.outputs("a")[-1].offset or 0
    first.close()
    second = worker.link()

    def next_offset() -> int:
        second.heard.clear()
        second.send(protocol.ListSessions())
        return second.wait(protocol.Sessions).sessions[0].next_offset

    bound = acked + _MEBIBYTE
    until(lambda: next_offset() > bound - 16 * 1024, "reading ahead")
    assert next_offset() <= bound + 32 * 1024
    assert not over.exists()
    second.close()
    until(over.exists, "the end of the command", patience=60)
    third = worker.link()
    left_out = _attach(third, "a").first_offset
    assert left_out > 0
    outputs = third.outputs("a")
    assert outputs[0].chunk.endswith(f"\r\n[nagomi: {left_out} bytes were left out here]\r\n")
    assert outputs[0].offset == left_out
    assert third.wait(protocol.Exit, "a").exit_code == 0
    numbers = [int(line) for line in third.text("a")[len(outputs[0].chunk) :].split()]
    assert numbers == list(range(numbers[0], last + 1))


def test_an_end_that_nobody_saw_is_told_after_the_replay(worker: Worker) -> None:
    first = worker.link()
    first.start("a", "read x; echo bye; exit 5")
    first.type("a", "\n")
    first.close()
    second = worker.link()

    def ended() -> bool:
        second.heard.clear()
        second.send(protocol.ListSessions())
        return second.wait(protocol.Sessions).sessions[0].exit_code == 5

    until(ended, "the end")
    _attach(second, "a")
    told = second.wait(protocol.Exit, "a")
    assert told.exit_code == 5
    assert second.text("a").endswith("bye\r\n")
    assert second.heard[-1] == told
    second.send(protocol.Forget(session_id="a"), protocol.Attach(session_id="a"))
    assert not second.wait(protocol.Error, "a").recoverable


def test_resizes_are_replayed_in_their_place(worker: Worker) -> None:
    first = worker.link()
    first.start("a", "cat")
    first.type("a", "x\n")
    first.wait_text("a", "x\r\nx\r\n")
    for cols in (100, 90):
        first.send(protocol.Resize(session_id="a", cols=cols, rows=30))
    first.type("a", "y\n")
    first.wait_text("a", "y\r\ny\r\n")
    first.close()
    second = worker.link()
    attached = _attach(second, "a")
    assert (attached.cols, attached.rows) == (90, 30)
    story = [
        (one.offset, one.cols) if isinstance(one, protocol.Resized) else one.chunk
        for one in second.heard
        if isinstance(one, protocol.Resized | protocol.Output)
    ]
    at = story.index((6, 90))
    assert story[0] == (0, 80)
    assert "".join(str(one) for one in story[1:at]) == "x\r\nx\r\n"
    assert "".join(str(one) for one in story[at + 1 :]) == "y\r\ny\r\n"


def test_reply_and_fresh_offsets_are_told(worker: Worker) -> None:
    first = worker.link()
    first.start("a", "stty -echo; echo ready; cat")
    first.wait_text("a", "ready\r\n")
    first.send(protocol.SendInput(session_id="a", text="answer\n", reply_offset=7))
    first.wait_text("a", "answer\r\n")
    first.close()
    second = worker.link()
    attached = _attach(second, "a")
    assert attached.reply_offset == 7
    assert attached.fresh_offset == 0

    def fresh_offset() -> int:
        second.heard.clear()
        return _attach(second, "a").fresh_offset

    until(lambda: fresh_offset() == attached.next_offset, "the answer to grow old")


def test_what_nobody_has_seen_is_told_until_somebody_has(worker: Worker, tmp_path: Path) -> None:
    go = tmp_path / "go"
    first = worker.link()
    first.start("a", f"echo ready; until test -e {go}; do sleep 0.02; done; echo asked; exec cat")
    first.wait_text("a", "ready\r\n")
    first.close()
    go.touch()
    second = worker.link()
    attached = _attach(second, "a")
    assert attached.unheard_offset == 7
    second.wait_text("a", "ready\r\nasked\r\n")
    second.close()
    third = worker.link()
    attached = _attach(third, "a")
    assert attached.unheard_offset == attached.next_offset == 14


def test_a_checkpoint_where_no_chunk_ends_is_an_error(link: Link) -> None:
    link.start("a", "cat")
    _checkpoint(link, "a", 3)
    assert "checkpoint at 3" in link.wait(protocol.Error, "a").message


def test_a_new_peer_takes_the_place_of_the_old_one(worker: Worker) -> None:
    first = worker.link()
    first.start("a", "cat")
    second = worker.link()
    first.wait_until(lambda: first.ended, "the end of the first connection")
    _attach(second, "a")
    second.type("a", "mine\n")
    second.wait_text("a", "mine\r\nmine\r\n")
    assert os.path.exists(f"/proc/{worker.process.pid}")


def test_output_goes_on_at_the_offset_that_was_had(worker: Worker) -> None:
    link = worker.link()
    link.start("a", "sh -c 'seq 1 20000; exec cat'")
    link.wait_text("a", "\n20000\r\n")
    had = link.outputs("a")[3]
    whole = link.text("a")
    link.close()
    again = worker.link()
    again.send(protocol.Attach(session_id="a", offset=had.offset))
    attached = again.wait(protocol.Attached)
    assert attached.resumed and attached.first_offset == had.offset
    again.wait_text("a", "\n20000\r\n")
    assert again.text("a") == whole[had.offset :]
    third = worker.link()
    third.send(protocol.Attach(session_id="a", offset=attached.next_offset))
    assert third.wait(protocol.Attached).resumed
    third.type("a", "more\r")
    third.wait_text("a", "more")
    assert third.text("a").startswith("more")


def test_where_the_output_is_gone_all_that_is_there_is_sent(worker: Worker) -> None:
    link = worker.link()
    link.start("a", "sh -c 'seq 1 20000; exec cat'")
    link.wait_text("a", "\n20000\r\n")
    middle = link.outputs("a")[9].offset
    assert middle is not None
    _checkpoint(link, "a", middle)
    for offset in (link.outputs("a")[3].offset, middle + 1):
        again = worker.link()
        again.send(protocol.Attach(session_id="a", offset=offset))
        attached = again.wait(protocol.Attached)
        assert not attached.resumed and attached.first_offset == middle
        assert again.wait(protocol.Checkpoint).offset == middle
