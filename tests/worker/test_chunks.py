"""Chunks end where a character ends (N-105, NB-9)."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_worker.wire.framing import Chunker, text
from nagomi_worker.wire.protocol import CHUNK_BYTES

_anything = st.lists(st.one_of(st.binary(max_size=30), st.text(max_size=20).map(str.encode)))


@given(_anything, st.integers(4, 12))
@pytest.mark.requirement("NB-9")
def test_chunks_read_like_the_whole_stream(pieces: list[bytes], size: int) -> None:
    chunker = Chunker(size)
    chunks = [chunk for piece in pieces for chunk in chunker.feed(piece)]
    if held := chunker.flush():
        chunks.append(held)
    stream = b"".join(pieces)
    assert b"".join(chunks) == stream
    assert "".join(map(text, chunks)) == stream.decode("utf-8", "replace")
    assert all(0 < len(chunk) <= size for chunk in chunks)


@given(st.text(min_size=1), st.integers(4, 12))
@pytest.mark.requirement("N-105")
def test_a_chunk_never_splits_a_character(words: str, size: int) -> None:
    for chunk in Chunker(size).feed(words.encode()):
        chunk.decode("utf-8")


@given(_anything)
def test_only_an_unfinished_character_is_held_back(pieces: list[bytes]) -> None:
    chunker = Chunker()
    for piece in pieces:
        chunker.feed(piece)
    assert chunker.held <= 3
    held = chunker.flush()
    assert codecs.utf_8_decode(held, "replace", False)[1] == 0


@pytest.mark.requirement("N-105")
def test_a_long_output_is_cut_at_4096_bytes() -> None:
    chunks = Chunker().feed("あ".encode() * 4096)
    assert [len(chunk) for chunk in chunks] == [4095, 4095, 4095, 3]
    assert max(map(len, chunks)) <= CHUNK_BYTES
