"""A worker's stream is read alike however it is cut: lines, and output as bytes between them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.orchestrator.workers.link import OutputBatch, WorkerReader
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LINE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.workers.link import WorkerMessage

_WORDS = "\x1b[1mé\u3042\r\n" * 300
_BYTES = b'first\n{"type":"raw"}\n' + "é\u3042\n".encode()
_HEAD = protocol.Raw(session_id="one", offset=700, sizes=(21, 6))
_LINES: tuple[protocol.FromWorker, ...] = (
    protocol.Output(session_id="one", stream="stdout", chunk=_WORDS, offset=9),
    protocol.Exit(session_id="two", exit_code=3),
    protocol.Error(session_id="", message="a \n b", recoverable=True),
    protocol.Output(session_id="one", stream="stdout", chunk=""),
)
_STREAM = protocol.encode(*_LINES) + (protocol.encode(_HEAD) + _BYTES) * 2 + b'{"type":"pong"}\n'
SAID: list[WorkerMessage] = [
    OutputBatch("one", _WORDS.encode(), (len(_WORDS.encode()),), 9),
    protocol.Exit(session_id="two", exit_code=3),
    protocol.Error(session_id="", message="a \n b", recoverable=True),
    OutputBatch("one", b"", (0,), None),
    *[OutputBatch("one", _BYTES, (21, 6), 700)] * 2,
    protocol.Pong(),
]


def told(pieces: Sequence[bytes], *, raw: bool = True) -> list[WorkerMessage]:
    reader = WorkerReader("w-test", raw=raw)
    return [message for piece in pieces for message in reader.feed(piece)]


def test_messages_come_whole_and_in_order_however_the_stream_is_cut() -> None:
    dice = random.Random(11)
    stream = _STREAM * 20
    for _ in range(50):
        cuts = sorted(dice.sample(range(len(stream)), dice.randrange(60)))
        ends = [*cuts, len(stream)]
        pieces = [stream[a:b] for a, b in zip([0, *cuts], ends, strict=True)]
        assert told(pieces) == SAID * 20


def test_output_as_bytes_may_be_cut_at_every_byte() -> None:
    stream = (protocol.encode(_HEAD) + _BYTES) * 2
    expected = [OutputBatch("one", _BYTES, (21, 6), 700)] * 2
    for cut in range(len(stream) + 1):
        assert told([stream[:cut], stream[cut:]]) == expected
    assert told([stream[at : at + 1] for at in range(len(stream))]) == expected


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
@pytest.mark.requirement("N-99")
def test_a_line_that_is_no_message_costs_only_itself(strange: bytes) -> None:
    stream = _STREAM + strange + _STREAM
    for size in (1000, 65536, 256 * 1024):
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert told(pieces) == SAID * 2


_NONSENSE = [
    b'{"type":"raw"}',
    b'{"type":"raw","session_id":"one","offset":5}',
    b'{"type":"raw","session_id":"one","offset":5,"sizes":[]}',
    b'{"type":"raw","session_id":"one","offset":5,"sizes":[0]}',
    b'{"type":"raw","session_id":"one","offset":5,"sizes":[-5]}',
    b'{"type":"raw","session_id":"one","offset":5,"sizes":[4097]}',
    b'{"type":"raw","session_id":"one","offset":5,"sizes":["5"]}',
    b'{"type":"raw","session_id":"one","offset":5,"sizes":[%s1]}' % (b"4096," * 256),
]


@pytest.mark.parametrize("line", _NONSENSE)
def test_sizes_that_are_nonsense_end_the_stream(line: bytes) -> None:
    with pytest.raises(protocol.StreamLost, match="`raw` message that does not fit"):
        told([_STREAM, line + b"\n12345"])


@pytest.mark.parametrize("line", [*_NONSENSE, protocol.encode(_HEAD)[:-1]])
def test_where_no_bytes_were_asked_for_every_line_is_one(line: bytes) -> None:
    lines = protocol.encode(*_LINES)
    assert told([lines + line + b"\n12345\n" + lines], raw=False) == SAID[:4] * 2


def test_a_message_is_cut_where_chunks_end() -> None:
    words = [b"abc", b"d", b"efgh", b"ij", b"k"]
    sizes = tuple(map(len, words))
    whole = OutputBatch("one", b"".join(words), sizes, 111)
    assert whole.pieces(1) == [
        OutputBatch("one", word, (len(word),), offset)
        for word, offset in zip(words, (103, 104, 108, 110, 111), strict=True)
    ]
    assert whole.pieces(2) == [
        OutputBatch("one", b"abcd", (3, 1), 104),
        OutputBatch("one", b"efghij", (4, 2), 110),
        OutputBatch("one", b"k", (1,), 111),
    ]
    for most in (3, 4, 5, 6):
        pieces = whole.pieces(most)
        assert b"".join(piece.data for piece in pieces) == whole.data
        assert sum((piece.sizes for piece in pieces), ()) == sizes
        assert pieces[-1].offset == 111
    assert whole.pieces(5) == [whole]
