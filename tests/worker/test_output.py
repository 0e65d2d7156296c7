"""What is printed arrives whole, in order, before the end is told, and starves nobody."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.runtime.limits import Limits
from nagomi_worker.wire import protocol
from tests.helpers.waiting import alive, until

if TYPE_CHECKING:
    from tests.helpers.worker import Link, Worker

_WINDOW = Limits().window


@pytest.mark.requirement("N-20", "N-105")
def test_output_comes_in_chunks_with_offsets(link: Link) -> None:
    link.run("a", f"{sys.executable} -c \"print('日本語🌸' * 3000)\"")
    chunks = link.outputs("a")
    assert link.text("a") == "日本語🌸" * 3000 + "\r\n"
    end = 0
    for one in chunks:
        size = len(one.chunk.encode())
        assert size <= protocol.CHUNK_BYTES
        end += size
        assert one.offset == end
        assert one.stream == "stdout"


@pytest.mark.requirement("NB-10")
def test_what_goes_to_stderr_comes_with_all_else(link: Link) -> None:
    link.run("a", "sh -c 'echo out; echo err >&2'")
    assert {one.stream for one in link.outputs("a")} == {"stdout"}
    assert link.text("a") == "out\r\nerr\r\n"


@pytest.mark.requirement("NB-9")
@pytest.mark.parametrize("pause", [0.01, 0.3])
def test_a_character_in_two_writes_arrives_whole(link: Link, pause: float) -> None:
    link.run("a", rf"printf '\346\227'; sleep {pause}; printf '\245\n'")
    assert link.text("a") == "日\r\n"


@pytest.mark.requirement("NB-9")
def test_output_that_is_not_utf8_becomes_replacement_characters(link: Link) -> None:
    link.run("a", r"printf 'a\377b\300\200c\346\227'")
    text = link.text("a")
    assert text == b"a\xffb\xc0\x80c\xe6\x97".decode("utf-8", "replace")
    assert link.outputs("a")[-1].offset == 8


def test_all_output_comes_before_the_end(link: Link) -> None:
    link.run("a", "seq 1 200000")
    assert isinstance(link.heard[-1], protocol.Exit)
    assert link.text("a") == "".join(f"{number}\r\n" for number in range(1, 200001))


def test_a_background_child_does_not_hold_the_end_back(link: Link, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    go = tmp_path / "go"
    ended = link.run(
        "a",
        f"(trap '' HUP; echo up; until [ -e {go} ]; do sleep 0.02; done; echo later) & "
        f"echo $! > {pid_file}; sleep 0.2; echo now",
    )
    assert "now\r\n" in link.text("a")
    assert int(pid_file.read_text()) in [one.pid for one in ended.left]
    go.touch()
    link.wait_text("a", "later\r\n")


def test_a_background_flood_does_not_hold_the_end_back(link: Link) -> None:
    link.run("a", "(trap '' HUP; exec yes) & sleep 0.1; echo over")
    before = len(link.heard)
    link.send(protocol.StopSession(session_id="a"))
    assert link.wait(protocol.Exit, "a", after=before).left == ()


def test_a_command_that_closes_its_terminal_for_a_while_goes_on(link: Link) -> None:
    link.run("a", "exec 3>/dev/null; T=$(tty); exec <&3 >&3 2>&3; sleep 0.2; echo back >$T; exit 4")
    assert link.text("a") == "back\r\n"
    assert link.wait(protocol.Exit, "a").exit_code == 4


def sent(link: Link, name: str) -> int:
    """Return how many bytes of a session were sent."""
    return sum(len(one.chunk) for one in link.outputs(name))


def use_up(link: Link, name: str) -> None:
    """Start a flood and wait until it is out of credit: from then on no other one counts as alone."""
    link.start(name, "yes")
    link.wait_until(lambda: sent(link, name) > _WINDOW - 4096, "the window")
    link.pump(0.3)


def test_no_more_than_the_credit_is_sent(worker: Worker) -> None:
    link = worker.link(acks=False)
    link.send(protocol.Hello(version=1, capabilities=("ack",), pid=1))
    use_up(link, "out")
    for name in ("a", "b"):
        link.start(name, "yes")
    for name in ("a", "b"):
        link.wait_until(lambda name=name: sent(link, name) > _WINDOW - 4096, "the window")
    link.pump(0.3)
    assert max(sent(link, "a"), sent(link, "b")) <= _WINDOW
    link.send(protocol.Ack(session_id="a", offset=8192))
    link.wait_until(lambda: sent(link, "a") > _WINDOW, "more after the ack")
    link.pump(0.3)
    assert sent(link, "a") <= _WINDOW + 8192


def test_who_prints_alone_for_a_while_gets_more_credit(worker: Worker) -> None:
    link = worker.link(acks=False)
    link.send(protocol.Hello(version=1, capabilities=("ack",), pid=1))
    link.start("a", "yes")
    link.wait_until(lambda: sent(link, "a") > _WINDOW - 4096, "the window")

    def has_more() -> bool:
        link.send(protocol.Ack(session_id="a", offset=8192))
        return sent(link, "a") > Limits().alone_window

    link.wait_until(has_more, "the larger window")
    assert sent(link, "a") <= Limits().alone_window + 8192


def test_a_flood_that_is_out_of_credit_leaves_the_others_alone(worker: Worker) -> None:
    link = worker.link(acks=False)
    link.send(protocol.Hello(version=1, capabilities=("ack",), pid=1))
    use_up(link, "f0")
    for name in ("f1", "f2", "f3"):
        link.start(name, "yes")
    link.start("quiet", "cat")
    for number in range(20):
        link.type("quiet", f"key {number}\n")
        link.wait_text("quiet", f"key {number}\r\nkey {number}\r\n")
    for name in ("f1", "f2", "f3"):
        assert sum(len(one.chunk) for one in link.outputs(name)) <= _WINDOW


def test_an_echo_passes_a_flood(link: Link) -> None:
    """Between a key and its echo, each flooding session says no more than its credit allows."""
    floods = ("f1", "f2", "f3", "f4")
    for name in floods:
        link.start(name, "yes")
    link.start("quiet", "cat")
    for number in range(20):
        marks = {name: len(link.text(name)) for name in floods}
        link.type("quiet", f"key {number}\n")
        link.wait_text("quiet", f"key {number}\r\nkey {number}\r\n")
        said = [len(link.text(name)) - marks[name] for name in floods]
        assert max(said) < 64 * _WINDOW


def test_a_peer_that_does_not_read_stops_the_reading(worker: Worker) -> None:
    link = worker.link(acks=False)
    io = Path(f"/proc/{link.start('a', 'yes').pid}/io")
    written: list[str] = []

    def held() -> bool:
        written.append(io.read_text().split()[3])
        return written[-1] != "0" and written[-1:] * 20 == written[-20:]

    until(held, "the flood to be held")
    assert int(written[-1]) < 4 * 1024 * 1024
    link.send(protocol.Ping())
    link.wait(protocol.Pong)


def test_the_worker_sleeps_while_nothing_happens(worker: Worker, link: Link) -> None:
    for name in ("a", "b", "c"):
        link.start(name, "cat")
    link.type("a", "x\n")
    link.wait_text("a", "x\r\nx\r\n")

    def switches() -> int:
        status = Path(f"/proc/{worker.process.pid}/status").read_text()
        return int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])

    def rests() -> bool:
        before = switches()
        link.pump(1.0)
        return switches() - before <= 1

    until(rests, "a second without a wake-up")
    assert alive(worker.process.pid)
