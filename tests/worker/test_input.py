"""Everything that is typed arrives, however much it is and however slowly it is read."""

from __future__ import annotations

import hashlib
import os
import random
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.sessions.session import Session
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.worker import Link, Worker

_MEBIBYTE = 1024 * 1024

_RAW_READER = """
import hashlib, os, sys, time, tty
tty.setraw(0)
os.write(1, b"ready")
left, seen = int(sys.argv[1]), hashlib.sha256()
while left:
    piece = os.read(0, 65536)
    seen.update(piece)
    left -= len(piece)
os.write(1, b"\\r\\n" + seen.hexdigest().encode() + b"\\r\\n")
"""


def _paste(link: Link, session_id: str, text: str) -> None:
    """Send a long text as the orchestrator does: in messages below the line limit."""
    for start in range(0, len(text), 100_000):
        link.type(session_id, text[start : start + 100_000])


@pytest.mark.requirement("N-101")
def test_a_mebibyte_into_a_raw_reader_arrives_whole(link: Link, tmp_path: Path) -> None:
    source = tmp_path / "reader.py"
    source.write_text(_RAW_READER)
    rng = random.Random(1)
    alphabet = "abc \n\r\t日本語\U0001f338\x1b[31m"
    text = "".join(rng.choices(alphabet, k=_MEBIBYTE * 3 // 4))
    data = text.encode()
    assert len(data) >= _MEBIBYTE
    link.start("a", f"{sys.executable} {source} {len(data)}")
    link.wait_text("a", "ready")
    _paste(link, "a", text)
    link.wait_text("a", hashlib.sha256(data).hexdigest())


@pytest.mark.requirement("N-101")
def test_a_mebibyte_of_lines_into_cat_arrives_whole(link: Link, tmp_path: Path) -> None:
    rng = random.Random(2)
    lines = ["".join(rng.choices("abcdefgh 日", k=rng.randrange(1, 330))) for _ in range(6000)]
    text = "".join(f"{line}\n" for line in lines)
    assert len(text.encode()) >= _MEBIBYTE
    assert max(len(line.encode()) for line in lines) <= 1000
    copy = tmp_path / "copy"
    link.start("a", f"cat > {copy}; echo closed")
    _paste(link, "a", text + "\x04")
    link.wait_text("a", "closed")
    assert copy.read_text() == text


def test_output_is_read_while_input_waits(link: Link) -> None:
    link.start("a", "stty -echo raw; echo ready; sleep 0.3; i=0; while [ $i -lt 2000 ]; do "
               "echo 'much to say while nothing is read'; i=$((i+1)); done; echo over; sleep 1000")  # fmt: skip
    link.wait_text("a", "ready")
    _paste(link, "a", "x" * 500_000)
    link.wait_text("a", "over")


def test_an_answer_is_written_once(link: Link) -> None:
    link.start("a", "stty -echo -icanon; echo ready; cat")
    link.wait_text("a", "ready")
    for offset, text in ((10, "one"), (10, "doubled"), (5, "old"), (11, "two")):
        link.send(protocol.SendInput(session_id="a", text=f"{text}\n", reply_offset=offset))
    link.wait_text("a", "two\r\n")
    link.type("a", "typed\n")
    link.wait_text("a", "typed\r\n")
    assert link.text("a").endswith("one\r\ntwo\r\ntyped\r\n")


@pytest.mark.parametrize(
    ("first", "told"),
    [
        # It asks, and comes to read a moment later; or it has ended, and a shell reads next.
        ("time.sleep(0.3)", "got b'reply'"),
        ("time.sleep(0.3); os.write(1, b'\\x1b]133;D;137\\x07')", "got b'typed'"),
        ("time.sleep(1.6)", "got b'reply'"),
    ],
)
def test_a_reply_waits_for_its_reader_and_reaches_no_shell(
    link: Link, first: str, told: str
) -> None:
    line = f"import os, termios, time, tty; print('asked'); {first}; tty.setraw(0, termios.TCSADRAIN); time.sleep(0.3)"
    code = f"{line}; os.write(1, b'reads'); print('got', os.read(0, 5))"
    link.start("a", shlex.join([sys.executable, "-uc", code]))
    link.wait_text("a", "asked")
    offset = link.outputs("a")[-1].offset
    link.send(protocol.SendInput(session_id="a", text="reply", reply_offset=offset))
    link.wait_text("a", "reads")
    link.type("a", "typed")
    link.wait_text("a", told)


def test_raw_input_is_a_byte_for_each_character(link: Link) -> None:
    link.start("a", "stty raw -echo; echo ready; head -c 3 | od -An -tx1")
    link.wait_text("a", "ready")
    link.send(protocol.SendInput(session_id="a", text="\xb5", raw=True))
    link.send(protocol.SendInput(session_id="a", text="\xb5"))
    link.wait_text("a", "b5 c2 b5")


def test_typing_at_a_command_that_has_ended_is_no_fault(link: Link) -> None:
    link.run("a", "true")
    link.type("a", "late\n")
    link.send(protocol.Ping())
    link.wait(protocol.Pong)
    assert not any(isinstance(one, protocol.Error) for one in link.heard)


def test_a_message_for_no_session_is_an_error(link: Link) -> None:
    link.type("nowhere", "x")
    error = link.wait(protocol.Error, "nowhere")
    assert not error.recoverable


def test_numbered_input_is_typed_once_over_however_many_lines(worker: Worker) -> None:
    link = worker.link()
    link.start("a", "sh -c 'stty raw -echo; echo ready; exec cat'")
    link.wait_text("a", "ready")
    orders = [
        protocol.SendInput(session_id="a", text=f"<{number}>", number=number)
        for number in range(1, 6)
    ]
    link.send(*orders[:3])
    link.wait_until(
        lambda: [one.number for one in link.heard if isinstance(one, protocol.Typed)] == [1, 2, 3],
        "typed",
    )
    link.close()
    again = worker.link()
    again.send(protocol.ListSessions())
    assert again.wait(protocol.Sessions).sessions[0].typed == 3
    again.send(protocol.Attach(session_id="a"))
    again.send(*orders[1:], *orders[1:])
    again.wait_text("a", "<5>")
    again.type("a", "end")
    again.wait_text("a", "end")
    assert again.text("a").endswith("<1><2><3><4><5>end")


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX terminal")
def test_what_is_typed_right_behind_a_resize_waits_until_the_program_knows_of_it() -> None:
    from nagomi_worker.pty.posix import PosixPty, ProcessTree

    main, other = os.openpty()
    session = Session("a", PosixPty(os.getpid(), main), ProcessTree("a", os.getpid()), 80, 24)
    session.resize(80, 24, 0.0)
    session.type(b"at once\n", 0.0)
    assert os.read(other, 99) == b"at once\n"
    os.set_blocking(other, False)
    session.resize(100, 30, 0.0)
    session.type(b"later\n", 0.0)
    assert os.get_terminal_size(other) == (100, 30)
    assert not session.has_input
    with pytest.raises(BlockingIOError):
        os.read(other, 99)
    session.input_waits = False
    session.write_input()
    assert os.read(other, 99) == b"later\n"
    session.close()
    os.close(other)


def test_keys_and_resizes_in_turn_all_arrive(link: Link) -> None:
    link.start("a", "sh -c 'stty raw -echo; echo ready; exec cat'")
    link.wait_text("a", "ready")
    for number in range(20):
        link.send(protocol.Resize(session_id="a", cols=81 + number, rows=30))
        link.type("a", f"<{number}>")
    link.wait_text("a", "<19>")
    assert link.text("a").endswith("".join(f"<{number}>" for number in range(20)))
