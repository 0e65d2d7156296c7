"""Compresses what is sent over a line, each piece with what was sent before as its context."""

from __future__ import annotations

import zlib
from typing import Final

from nagomi_worker.wire.protocol import PACKED_MOST, Packed, encode

_LEAST: Final = 160
"""Bytes below which a piece is sent as it is."""
_LEVEL: Final = 4


class Packer:
    """The sending side of one connection."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(_LEVEL)

    def pack(self, data: bytes) -> bytes:
        """Return whole messages as one `packed` and its bytes, or as they are."""
        if not _LEAST <= len(data) <= PACKED_MOST:
            return data
        packed = self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH)
        return encode(Packed(size=len(packed), whole=len(data))) + packed


class Unpacker:
    """The receiving side."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()

    def unpack(self, head: Packed, data: bytes) -> bytes:
        """Return what was packed.

        Raises:
            ValueError: it is not what `head` says.
        """
        try:
            whole = self._stream.decompress(data, head.whole)
        except zlib.error as exc:
            raise ValueError(f"packed bytes are damaged: {exc}") from exc
        if len(whole) != head.whole or self._stream.unconsumed_tail:
            raise ValueError("packed bytes are of another length than was said")
        return whole
