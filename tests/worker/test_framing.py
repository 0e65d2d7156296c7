"""Framing: lines split anywhere, too long, cut, or no message; the stream goes on."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LINE_LIMIT, LineSplitter, LineTooLong, StreamCut

_lines = st.lists(st.binary(min_size=1, max_size=40).filter(lambda b: b"\n" not in b and b.strip()))


def _fed(splitter: LineSplitter, stream: bytes, cuts: list[int]) -> list[bytes | LineTooLong]:
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    return [line for piece in pieces for line in splitter.feed(piece)]


@given(_lines, st.lists(st.integers(0, 10_000)))
@pytest.mark.requirement("N-97")
def test_lines_come_whole_wherever_the_stream_is_split(lines: list[bytes], cuts: list[int]) -> None:
    splitter = LineSplitter()
    assert _fed(splitter, b"".join(line + b"\n" for line in lines), cuts) == lines
    splitter.close()


@given(_lines, st.lists(st.integers(0, 10_000)), st.integers(4, 20))
def test_a_line_too_long_is_named_in_its_place(
    lines: list[bytes], cuts: list[int], limit: int
) -> None:
    heard = _fed(LineSplitter(limit), b"".join(line + b"\n" for line in lines), cuts)
    assert [None if isinstance(one, LineTooLong) else one for one in heard] == [
        None if len(line) > limit else line for line in lines
    ]


@given(_lines, st.binary(min_size=1, max_size=9).filter(lambda b: b"\n" not in b))
def test_a_stream_cut_inside_a_line_is_named(lines: list[bytes], piece: bytes) -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"".join(line + b"\n" for line in lines) + piece) == lines
    with pytest.raises(StreamCut) as caught:
        splitter.close()
    assert caught.value.piece == piece


def test_the_limit_is_one_mebibyte() -> None:
    long = b"x" * LINE_LIMIT
    assert LineSplitter().feed(long + b"\n") == [long]
    assert isinstance(LineSplitter().feed(long + b"x\n")[0], LineTooLong)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"hello", "not JSON"),
        (b'{"type":"ping"', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"type":"ping","more":' + b"[" * 100_000, "not JSON"),
        (b"[]", "without a usable `type`"),
        (b"{}", "without a usable `type`"),
        (b'{"type":7}', "without a usable `type`"),
        (b'{"type":"resize","session_id":"a","cols":"wide","rows":1}', "`resize`"),
        (b'{"type":"resize","session_id":"a","cols":80}', "`resize`"),
        (b'{"type":"send_input","session_id":null,"text":"x"}', "`send_input`"),
        (b'{"type":"start_session","session_id":"a","cmd":"x","cwd":3,"env":{},"cols":1,"rows":1}',
         "`start_session`"),
    ],
)  # fmt: skip
@pytest.mark.requirement("N-96", "N-98")
def test_what_is_no_message_is_a_named_error(line: bytes, words: str) -> None:
    with pytest.raises(protocol.BadMessage, match=words):
        protocol.decode_to_worker(line)


@given(st.text(min_size=1).filter(lambda name: name not in _KNOWN), st.integers())
@pytest.mark.requirement("N-99")
def test_an_unknown_type_is_ignored(name: str, number: int) -> None:
    line = json.dumps({"type": name, "session_id": number}).encode()
    assert protocol.decode_to_worker(line) is None
    assert protocol.decode_from_worker(line) is None


_KNOWN = {
    str(kind.__struct_config__.tag)
    for kind in (*protocol.ToWorker.__args__, *protocol.FromWorker.__args__)
}


def test_fields_that_a_newer_side_adds_are_ignored() -> None:
    assert protocol.decode_to_worker(b'{"type":"ping","why":"new"}') == protocol.Ping()
