"""Splits streams: into lines, each of which is one JSON object, and PTY output into chunks.

Lines have a size limit; what they mean is not known here. No chunk ends inside a character.
"""

from __future__ import annotations

import codecs
from typing import Final

CHUNK_BYTES: Final = 4096
"""Most raw bytes in one chunk of output (N-105)."""
LINE_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of the longest line between orchestrator and worker, its newline not counted.

The kernel takes a command and an environment of 2 MiB, of which JSON may make six bytes of one.
"""


class LineTooLong(ValueError):
    """A line was longer than the limit; it was dropped, its newline included."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a line is longer than {limit} bytes; it was dropped")
        self.limit = limit


class StreamCut(ValueError):
    """The stream ended inside a line, whose beginning is not a message."""

    def __init__(self, piece: bytes) -> None:
        super().__init__(f"the stream ended inside a line of {len(piece)} bytes so far")
        self.piece = piece


class LineSplitter:
    """Joins bytes that arrive in pieces, and splits them into whole lines.

    In place of a line over the limit there is a `LineTooLong`, and the stream goes on.
    """

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | LineTooLong]:
        """Return the lines that `data` completes, without newlines; blank lines are left out."""
        *ends, rest = data.split(b"\n")
        lines = [line for end in ends if (line := self._complete(end))]
        if rest:
            self._keep(rest)
        return lines

    def close(self) -> None:
        """Check that the stream has ended with a whole line.

        Raises:
            StreamCut: bytes of an unfinished line were left.
        """
        if self._pieces and not self._skipping:
            raise StreamCut(b"".join(self._pieces))

    def _complete(self, end: bytes) -> bytes | LineTooLong | None:
        size = self._size + len(end)
        line = b"".join((*self._pieces, end)) if self._pieces else end
        too_long = self._skipping or size > self._limit
        self._pieces.clear()
        self._size = 0
        self._skipping = False
        if too_long:
            return LineTooLong(self._limit)
        return line if line.strip() else None

    def _keep(self, rest: bytes) -> None:
        self._size += len(rest)
        if self._size > self._limit:
            self._skipping = True
            self._pieces.clear()
        if not self._skipping:
            self._pieces.append(rest)


_LEADS: Final = 0xC0
"""The least byte that begins a UTF-8 character of several bytes, or is invalid."""
_LONGEST: Final = 3
"""Bytes of the longest incomplete UTF-8 character."""


class Chunker:
    """Cuts a byte stream between characters, into chunks of at most `CHUNK_BYTES` (N-105).

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
