"""A session's output since its base checkpoint, kept in memory up to a limit.

Of these, another orchestrator makes screen and scrollback again (`nagomi_tui/orchestrator/output/rebuilding.py`).

Entries are numbered from the session's start; a number stays valid while older ones are dropped.

The base is the oldest checkpoint kept, or the session's start; light checkpoints follow at later
offsets, and each can become the base. There is no I/O here, and callers give the time.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from nagomi_worker.runtime.limits import WorkerFault
from nagomi_worker.wire.protocol import Checkpoint

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


__all__ = ["LIGHT_MOST", "LIMIT", "OVERHEAD", "BadCheckpoint", "Chunk", "Entry", "Ring", "Size"]

LIMIT: Final = 8 * 1024 * 1024
LIGHT_MOST: Final = 16
"""Light checkpoints that are kept at most."""
_SPARE: Final = 16
"""When lines are dropped, 1/16 of the limit is freed at once, so that this happens rarely."""
_LINE_SEARCH: Final = 64 * 1024


class BadCheckpoint(WorkerFault):
    """A checkpoint's offset is not the end of a chunk."""


class _Kept(NamedTuple):
    """A checkpoint, and the number of the first entry after it."""

    offset: int
    number: int
    parts: tuple[Checkpoint, ...]


class Ring:
    """A session's output after its base, up to a limit.

    Beyond the limit the next light checkpoint becomes the base; where there is none, the oldest
    lines are dropped.
    """

    def __init__(self, cols: int, rows: int, *, limit: int = LIMIT) -> None:
        self._limit = limit
        self._entries = Entries()
        self._at_line_start = True
        self._base: _Kept | None = None
        self._lights: list[_Kept] = []
        self.end_offset = 0
        self.first_offset = 0
        """Where the kept bytes begin."""
        self.first_size = (cols, rows)
        """The PTY's size at `first_offset`."""
        self.printed_at = float("-inf")

    @property
    def checkpoint(self) -> tuple[Checkpoint, ...]:
        """The messages of the base; empty where the base is the session's start."""
        return self._base.parts if self._base else ()

    @property
    def lights(self) -> tuple[int, ...]:
        """Offsets of the light checkpoints after the base."""
        return tuple(light.offset for light in self._lights)

    @property
    def start(self) -> int:
        """Number of the oldest entry."""
        return self._entries.start

    @property
    def end(self) -> int:
        """Number that the next entry will get."""
        return self._entries.end

    @property
    def charge(self) -> int:
        """Bytes that the entries count for, compressed or not."""
        return self._entries.charge

    @property
    def left_out(self) -> int:
        """Bytes that were dropped between the base and `first_offset`."""
        return self.first_offset - (self._base.offset if self._base else 0)

    def add(self, data: bytes, at: float) -> Chunk:
        """Add a chunk that was read at the time `at`; return it with its offset."""
        self.end_offset += len(data)
        self.printed_at = at
        chunk = Chunk(self.end_offset, data, at)
        self._entries.add(chunk)
        if self._entries.charge > self._limit:
            self._make_room()
        return chunk

    def resize(self, cols: int, rows: int) -> None:
        """Add a resize; of several at one offset only the last is kept."""
        size = Size(self.end_offset, cols, rows)
        last = self.entry(self.end - 1) if self.end > self.start else None
        if isinstance(last, Size) and last.offset == size.offset:
            self._entries.change(self.end - 1, size)
        else:
            self._entries.add(size)

    def entry(self, number: int) -> Entry:
        """Return an entry by its number, which is from `start` up to `end`."""
        return self._entries.get(number)

    def save(self, parts: tuple[Checkpoint, ...]) -> None:
        """Add a checkpoint (all its messages); one that is older than the base changes nothing.

        Raises:
            BadCheckpoint: no chunk ends at its offset.
        """
        last = parts[-1]
        if last.offset < max(self.first_offset, self._base.offset if self._base else 0):
            return
        own = tuple(msgspec.structs.replace(part, keep_from=None) for part in parts)
        kept = _Kept(last.offset, self._number_after(last.offset), own)
        if not last.light:
            self._rest_on(kept)
            return
        self._keep_light(kept)
        if last.keep_from is not None:
            self._keep_from(last.keep_from)

    def settled_before(self, moment: float) -> int:
        """Return the offset up to which everything was printed at or before `moment`."""
        settled = self._entries.settled_before(moment)
        return self.first_offset if settled is None else settled

    def number_after(self, offset: int) -> int | None:
        """Return the number of the first entry after `offset`; None where output after it is gone."""
        if offset == self.first_offset:
            return self.start
        return self._entries.after(offset) if self.first_offset < offset else None

    def has_after(self, offset: int, sequence: bytes) -> bool:
        """Tell whether a sequence stands in the output after an offset, as far as that is kept."""
        number = self.number_after(offset)
        if number is None:
            return False
        entries = (self.entry(at) for at in range(number, self.end))
        return sequence in b"".join([one.data for one in entries if isinstance(one, Chunk)])

    def pack_next(self) -> bool:
        """Compress one segment; tell whether there was one to compress."""
        return self._entries.pack_next()

    def _number_after(self, offset: int) -> int:
        """Return the number of the first entry after `offset`, resizes at `offset` included."""
        if offset == self.first_offset:
            return self.start
        if (number := self._entries.after(offset)) is None:
            raise BadCheckpoint(
                "A checkpoint at {offset} was dropped: no chunk of output ends there.",
                offset=offset,
            )
        return number

    def _keep_light(self, kept: _Kept) -> None:
        if self._base and kept.offset == self._base.offset:
            return
        at = bisect_left(self.lights, kept.offset)
        if self.lights[at : at + 1] == (kept.offset,):
            self._lights[at] = kept
        else:
            self._lights.insert(at, kept)
        if len(self._lights) > LIGHT_MOST:
            self._thin_out()

    def _thin_out(self) -> None:
        """Drop the light checkpoint whose neighbours are closest together; never the newest."""
        offsets = (self._base.offset if self._base else 0, *self.lights)
        gaps = [after - before for before, after in zip(offsets, offsets[2:], strict=False)]
        del self._lights[gaps.index(min(gaps))]

    def _keep_from(self, offset: int) -> None:
        """Make the newest checkpoint that is not after `offset` the base."""
        if usable := [light for light in self._lights if light.offset <= offset]:
            self._rest_on(usable[-1])

    def _rest_on(self, kept: _Kept) -> None:
        """Make a checkpoint the base, and drop everything before it."""
        self._entries.drop_before(kept.number)
        self._base = kept
        self._lights = [light for light in self._lights if light.offset > kept.offset]
        self.first_offset = kept.offset
        self.first_size = (kept.parts[-1].cols, kept.parts[-1].rows)
        self._at_line_start = True

    def _make_room(self) -> None:
        while self.charge > self._limit and self._lights:
            self._rest_on(self._lights[0])
        if self.charge > self._limit:
            self._drop_head()

    def _pop(self) -> None:
        entry = self._entries.pop()
        if isinstance(entry, Size):
            self.first_size = (entry.cols, entry.rows)
        else:
            self.first_offset = entry.end
            self._at_line_start = entry.data.endswith(b"\n")

    def _drop_head(self) -> None:
        goal = self._limit - self._limit // _SPARE
        while self.charge > goal and self.end - self.start > 1:
            self._pop()
        self._drop_to_line_start()

    def _drop_to_line_start(self) -> None:
        """Drop the rest of a line whose beginning was dropped, unless that line is very long."""
        if self._at_line_start:
            return
        seen = 0
        for number in range(self.start, self.end):
            entry = self.entry(number)
            if isinstance(entry, Size):
                continue
            if (cut := entry.data.find(b"\n") + 1) > 0:
                self._cut(number, cut)
                return
            seen += len(entry.data)
            if seen > _LINE_SEARCH:
                return

    def _cut(self, number: int, cut: int) -> None:
        """Drop the entries before a chunk, and `cut` bytes of the chunk."""
        while self.start < number:
            self._pop()
        chunk = self.entry(number)
        assert isinstance(chunk, Chunk)
        if cut == len(chunk.data):
            self._pop()
            return
        self._entries.change(number, chunk._replace(data=chunk.data[cut:]))
        self.first_offset += cut
        self._at_line_start = True
