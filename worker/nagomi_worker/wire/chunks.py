"""Cuts PTY output into chunks of at most 4096 bytes, never inside a character (N-105)."""

from __future__ import annotations

import codecs
from typing import Final

from nagomi_worker.wire.protocol import CHUNK_BYTES

_LEADS: Final = 0xC0
"""The least byte that begins a UTF-8 character of several bytes, or is invalid."""
_LONGEST: Final = 3
"""Bytes of the longest incomplete UTF-8 character."""


class Chunker:
    """Cuts a byte stream between characters.

    Each chunk can be decoded by itself: `text(a) + text(b)` is `text(a + b)` for neighbours, so a
    replay gives the same characters as the first delivery.
    """

    def __init__(self, size: int = CHUNK_BYTES) -> None:
        self._size = size
        self._held = b""

    @property
    def held(self) -> int:
        """How many bytes of an incomplete character are held back."""
        return len(self._held)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the chunks that `data` completes; an incomplete character is held back."""
        data = self._held + data
        chunks: list[bytes] = []
        start = 0
        while start < len(data):
            piece = data[start : start + self._size]
            if not (used := _finished(piece)):
                break
            chunks.append(piece if used == len(piece) else piece[:used])
            start += used
        self._held = data[start:]
        return chunks

    def flush(self) -> bytes:
        """Return the incomplete character that is held back, and hold it no more."""
        held, self._held = self._held, b""
        return held


def is_text(chunk: bytes) -> bool:
    """Tell whether a chunk is UTF-8."""
    if chunk.isascii():
        return True
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return False
    return True


def text(chunk: bytes) -> str:
    """Return the chunk's characters; bytes that are not UTF-8 become U+FFFD."""
    return chunk.decode("utf-8", "replace")


def _finished(piece: bytes) -> int:
    """Return how many bytes stand before an incomplete character at the end."""
    for back in range(1, min(_LONGEST, len(piece)) + 1):
        if piece[-back] >= _LEADS:
            return len(piece) - back + codecs.utf_8_decode(piece[-back:], "replace", False)[1]
    return len(piece)
