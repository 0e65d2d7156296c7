"""Raw PTY bytes to chunks: at most 4096 bytes each, and never cut inside a character (N-105)."""

from __future__ import annotations

import codecs

from nagomi_worker.protocol import CHUNK_BYTES


class Chunker:
    """Cuts a byte stream where a character ends.

    A chunk decodes by itself: `text(a) + text(b)` is `text(a + b)` for neighbours, so a replay
    gives the same characters as the first delivery did.
    """

    def __init__(self, size: int = CHUNK_BYTES) -> None:
        self._size = size
        self._held = b""

    @property
    def held(self) -> int:
        """Bytes of an unfinished character that wait for the rest."""
        return len(self._held)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the chunks that `data` completes; an unfinished character is held back."""
        data = self._held + data
        chunks: list[bytes] = []
        start = 0
        while start < len(data):
            _, used = codecs.utf_8_decode(data[start : start + self._size], "replace", False)
            if not used:
                break
            chunks.append(data[start : start + used])
            start += used
        self._held = data[start:]
        return chunks

    def flush(self) -> bytes:
        """Give up what is held: its character will not be finished."""
        held, self._held = self._held, b""
        return held


def text(chunk: bytes) -> str:
    """Return the chunk's characters; bytes that are not UTF-8 become U+FFFD."""
    return chunk.decode("utf-8", "replace")
