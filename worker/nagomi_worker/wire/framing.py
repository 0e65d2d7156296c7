"""Splits streams into lines, each of which is one JSON object.

Lines have a size limit; what they mean is not known here.
"""

from __future__ import annotations

from typing import Final

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
