"""History rows packed small: thousands of rows as compressed blocks instead of objects."""

from __future__ import annotations

import zlib
from collections import deque
from typing import Final

import msgspec

from nagomi_tui.core.text.screen import Row

_BLOCK: Final = 256
_encoder = msgspec.msgpack.Encoder()
_rows = msgspec.msgpack.Decoder(list[Row])


class RowStore:
    """The newest rows up to a limit, numbered from the first that was ever pushed."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._blocks: deque[bytes] = deque()
        self._open: list[Row] = []
        self._unpacked: tuple[bytes, list[Row]] = (b"", [])
        self.next = 0
        """Number of the row that is pushed next."""

    @property
    def first(self) -> int:
        """Number of the oldest row kept."""
        return max(self.next - self._limit, self._base)

    @property
    def _base(self) -> int:
        return self.next - len(self._open) - len(self._blocks) * _BLOCK

    def push(self, row: Row) -> None:
        """Add a row; the oldest block goes when all its rows are past the limit."""
        self._open.append(row)
        self.next += 1
        if len(self._open) == _BLOCK:
            self._blocks.append(zlib.compress(_encoder.encode(self._open), 1))
            self._open = []
            if self._base + _BLOCK <= self.next - self._limit:
                self._blocks.popleft()

    def read(self, start: int, stop: int) -> list[Row]:
        """Return the rows by number; those not kept are left out."""
        found: list[Row] = []
        at, stop = max(start, self.first), min(stop, self.next)
        while at < stop:
            block, skip = divmod(at - self._base, _BLOCK)
            rows = self._block(block)
            piece = rows[skip : skip + stop - at]
            found += piece
            at += len(piece)
        return found

    def clear(self) -> None:
        """Forget all rows; numbers go on."""
        self._blocks.clear()
        self._open = []

    def _block(self, number: int) -> list[Row]:
        if number >= len(self._blocks):
            return self._open
        packed = self._blocks[number]
        if self._unpacked[0] is not packed:
            self._unpacked = (packed, _rows.decode(zlib.decompress(packed)))
        return self._unpacked[1]
