"""Reading a worker's stream in blocks gives what reading it line by line gives."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.orchestrator.worker_reader import WorkerReader
from nagomi_worker import protocol
from nagomi_worker.framing import LINE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

MESSAGES: tuple[protocol.FromWorker, ...] = (
    protocol.Output(session_id="one", stream="stdout", chunk="\x1b[1mé\u3042\r\n" * 300, offset=9),
    protocol.Exit(session_id="two", exit_code=3),
    protocol.Error(session_id="", message="a \n b", recoverable=True),
    protocol.Output(session_id="one", stream="stdout", chunk="", offset=9),
)


def told(pieces: Sequence[bytes]) -> list[protocol.FromWorker]:
    reader = WorkerReader("w-test")
    return [message for piece in pieces for message in reader.feed(piece)]


def test_messages_come_whole_and_in_order_however_the_stream_is_cut() -> None:
    dice = random.Random(11)
    stream = protocol.encode(*MESSAGES) * 20
    for _ in range(50):
        cuts = sorted(dice.sample(range(len(stream)), dice.randrange(60)))
        ends = [*cuts, len(stream)]
        pieces = [stream[a:b] for a, b in zip([0, *cuts], ends, strict=True)]
        assert told(pieces) == [*MESSAGES] * 20


@pytest.mark.parametrize(
    "strange",
    [
        b'{"type":"of a newer worker","x":1}\n',
        b"not JSON\n",
        b'{"type":"exit"}\n',
        b"\xff\xfe\n",
        b"\n  \n",
        b'"' + b"x" * LINE_LIMIT + b'"\n',
    ],
)
def test_n99_a_line_that_is_no_message_costs_only_itself(strange: bytes) -> None:
    stream = protocol.encode(*MESSAGES) + strange + protocol.encode(*MESSAGES)
    for size in (1000, 65536, 256 * 1024):
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert told(pieces) == [*MESSAGES] * 2
