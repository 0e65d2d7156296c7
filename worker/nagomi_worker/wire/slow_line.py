"""Paces and compresses what a worker sends over a long or slow line.

The far end tells what has arrived. As in FAST TCP, the window is chosen so that a trip takes as long
as on an empty line, and `QUEUE_SECONDS` more: the line is never idle, and never has a queue. There
is no clock here.
"""

from __future__ import annotations

import zlib
from collections import deque
from math import sqrt
from typing import Final, NamedTuple

from nagomi_worker.wire.protocol import PACKED_MOST, Packed, encode

QUEUE_SECONDS: Final = 0.012
"""How long what is sent may wait in front of the narrow place."""
FIRST: Final = 16 * 1024
"""Bytes of the window at the beginning."""
LEAST: Final = 4 * 1024
MOST: Final = 8 * 1024 * 1024
_STEEPEST: Final = 0.7
"""A window becomes smaller by this factor at most in a round: a trip may be long for once."""
_EMPTY_SECONDS: Final = 10.0
"""Seconds after which the line is emptied to see how long a trip takes now."""
_DRAIN_ROUNDS: Final = 2


class _Flight(NamedTuple):
    end: int
    at: float


class Pacing:
    """The window of one connection."""

    def __init__(self) -> None:
        self.window = FIRST
        """Bytes that may be on their way."""
        self._sent = 0
        self._arrived = 0
        self._flights: deque[_Flight] = deque()
        self._base = float("inf")
        """Seconds of a trip on an empty line."""
        self._base_at = 0.0
        self._trip = float("inf")
        """The quickest trip of this round, which ends when `_round_end` has arrived."""
        self._last_trip = 0.0
        self._round_end = 0
        self._filled = False
        """Something had to wait in this round."""
        self._starting = True
        self._draining = 0

    def room(self) -> int:
        """Return how many bytes may be sent now; whoever asks where there is no room waits."""
        window = max(LEAST, self.window // 4) if self._draining else self.window
        room = window - (self._sent - self._arrived)
        self._filled = self._filled or room <= 0
        return room

    @property
    def rate(self) -> float:
        """Bytes a second that the line carries, or more if it was never filled; 0 if unknown."""
        return self.window / self._last_trip if self._last_trip else 0.0

    def went(self, size: int, now: float) -> None:
        """Note that so many bytes were sent."""
        self._sent += size
        self._flights.append(_Flight(self._sent, now))

    def came(self, total: int, now: float) -> None:
        """Note that so many bytes have arrived since the connection began."""
        if not self._arrived < total <= self._sent:
            return
        self._arrived = total
        trip = float("inf")
        while self._flights and self._flights[0].end <= total:
            trip = now - self._flights.popleft().at
        self._trip = min(trip, self._trip)
        if trip < self._base:
            self._base, self._base_at = trip, now
        if total >= self._round_end:
            if self._trip < float("inf"):
                self._end_round(self._trip, now)
            self._trip, self._filled = float("inf"), False
            self._round_end = self._sent + 1

    def _end_round(self, trip: float, now: float) -> None:
        self._last_trip = max(trip, 1e-6)
        if self._draining:
            self._draining -= 1
            if not self._draining:
                self._base, self._base_at = trip, now
            return
        if not self._filled:
            return
        if now - self._base_at > _EMPTY_SECONDS:
            self._draining = _DRAIN_ROUNDS
        self._starting = self._starting and trip < self._base + QUEUE_SECONDS / 2
        # The root, since what is seen of a trip is what an earlier window has led to.
        factor = 2.0 if self._starting else sqrt((self._base + QUEUE_SECONDS) / self._last_trip)
        self.window = int(min(MOST, max(LEAST, self.window * max(_STEEPEST, factor))))


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
