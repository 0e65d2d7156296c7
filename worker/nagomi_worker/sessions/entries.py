"""The entries of a ring, in segments, of which old ones can be compressed.

Entries are numbered from the session's start; a number stays valid while older ones are dropped.
"""

from __future__ import annotations

import zlib
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

OVERHEAD: Final = 160
"""Bytes counted for an entry beside its data, so that many tiny chunks stay bounded, too."""
SEGMENT: Final = 256 * 1024
"""Counted bytes of a full segment, which takes a few milliseconds to compress."""
_WORTH_PACKING: Final = 32 * 1024
_LEVEL: Final = 5
"""zlib's level: a third smaller than the quickest one, in twice the time."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[tuple[Any, Any, Any]])


class Chunk(NamedTuple):
    """Bytes that were sent as one `output`; `end` is the offset after them."""

    end: int
    data: bytes
    at: float


class Size(NamedTuple):
    """The PTY got another size at this offset of its output."""

    offset: int
    cols: int
    rows: int


Entry: TypeAlias = Chunk | Size


def cost(entry: Entry) -> int:
    """Return the bytes that an entry counts for, compressed or not."""
    return OVERHEAD + (len(entry.data) if isinstance(entry, Chunk) else 0)


class Segment:
    """Consecutive entries, compressed or not."""

    __slots__ = ("_entries", "_packed", "begin", "charge", "count", "end", "first", "last_at")

    def __init__(self, first: int, begin: int) -> None:
        self.first = first
        """Number of its first entry."""
        self.begin = begin
        self.end = begin
        """Offsets before and after its chunks."""
        self.count = 0
        self.charge = 0
        self.last_at = float("-inf")
        self._entries: list[Entry] | None = []
        self._packed = b""

    @property
    def takes(self) -> bool:
        """Tell whether more entries may be added."""
        return self._entries is not None and self.charge < SEGMENT

    @property
    def is_packed(self) -> bool:
        """Tell whether the entries are compressed."""
        return self._entries is None

    def holds(self, number: int) -> bool:
        """Tell whether the entry with this number is in this segment."""
        return 0 <= number - self.first < self.count

    def add(self, entry: Entry) -> None:
        """Add an entry at the end."""
        assert self._entries is not None
        self._entries.append(entry)
        self.count += 1
        self.charge += cost(entry)
        if isinstance(entry, Chunk):
            self.end, self.last_at = entry.end, entry.at

    def read(self) -> list[Entry]:
        """Return the entries; a compressed segment stays compressed."""
        if self._entries is not None:
            return self._entries
        return [
            Chunk(*one) if isinstance(one[1], bytes) else Size(*one)
            for one in _decoder.decode(zlib.decompress(self._packed))
        ]

    def opened(self) -> list[Entry]:
        """Return the list of entries, to be changed; the segment is then not compressed."""
        self._entries = self.read()
        self._packed = b""
        return self._entries

    def pack(self) -> None:
        """Compress the entries."""
        self._packed = zlib.compress(_encoder.encode(self._entries), _LEVEL)
        self._entries = None


class Entries:
    """All entries of a ring in order."""

    def __init__(self) -> None:
        self._segments: deque[Segment] = deque([Segment(0, 0)])
        self._seen: tuple[Segment, list[Entry]] | None = None
        """The segment that was read last, and its entries."""
        self.charge = 0

    @property
    def start(self) -> int:
        """Number of the oldest entry."""
        return self._segments[0].first

    @property
    def end(self) -> int:
        """Number that the next entry will get."""
        return self._segments[-1].first + self._segments[-1].count

    def add(self, entry: Entry) -> None:
        """Add an entry at the end."""
        last = self._segments[-1]
        if not last.takes:
            last = Segment(self.end, last.end)
            self._segments.append(last)
        last.add(entry)
        self.charge += cost(entry)

    def get(self, number: int) -> Entry:
        """Return an entry by its number, which is from `start` up to `end`."""
        if self._seen is None or not self._seen[0].holds(number):
            segment = self._segment(number)
            self._seen = segment, segment.read()
        segment, entries = self._seen
        if segment.is_packed and number + 1 == segment.first + segment.count:
            self._seen = None
        return entries[number - segment.first]

    def change(self, number: int, entry: Entry) -> None:
        """Replace an entry."""
        segment = self._segment(number)
        entries = segment.opened()
        change = cost(entry) - cost(entries[number - segment.first])
        entries[number - segment.first] = entry
        segment.charge += change
        self.charge += change
        self._seen = None

    def pop(self) -> Entry:
        """Remove and return the oldest entry."""
        self._seen = None
        head = self._segments[0]
        entry = head.opened().pop(0)
        head.first += 1
        head.count -= 1
        head.charge -= cost(entry)
        self.charge -= cost(entry)
        if isinstance(entry, Chunk):
            head.begin = entry.end
        if not head.count and len(self._segments) > 1:
            self._segments.popleft()
        return entry

    def drop_before(self, number: int) -> None:
        """Remove all entries before `number`."""
        self._seen = None
        while len(self._segments) > 1 and self._segments[1].first <= number:
            self.charge -= self._segments.popleft().charge
        while self.start < number:
            self.pop()

    def after(self, offset: int) -> int | None:
        """Return the number of the entry after the chunk that ends at `offset`, or None."""
        for segment in reversed(self._segments):
            if segment.begin < offset <= segment.end:
                for at, entry in enumerate(segment.read()):
                    if isinstance(entry, Chunk) and entry.end == offset:
                        return segment.first + at + 1
        return None

    def settled_before(self, moment: float) -> int | None:
        """Return the end of the last chunk read at or before `moment`; None if there is none."""
        for segment in reversed(self._segments):
            if segment.last_at <= moment and segment.end > segment.begin:
                return segment.end
            for entry in reversed(segment.read()):
                if isinstance(entry, Chunk) and entry.at <= moment:
                    return entry.end
        return None

    def pack_next(self) -> bool:
        """Compress the oldest segment that is worth it; tell whether there was one."""
        for segment in self._segments:
            if not segment.is_packed and segment.charge >= _WORTH_PACKING:
                self._seen = None
                segment.pack()
                return True
        return False

    def __iter__(self) -> Iterator[Entry]:
        for segment in self._segments:
            yield from segment.read()

    def _segment(self, number: int) -> Segment:
        return next(one for one in reversed(self._segments) if one.first <= number)
