"""The ring gives back exactly what was printed since the last checkpoint (NB-13)."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nagomi_worker.sessions import ring as entries
from nagomi_worker.sessions.ring import LIGHT_MOST, OVERHEAD, BadCheckpoint, Chunk, Ring, Size
from nagomi_worker.wire.protocol import Checkpoint


def _checkpoint(
    offset: int, cols: int = 80, rows: int = 24, *, light: bool = False, keep: int | None = None
) -> tuple[Checkpoint, ...]:
    part = Checkpoint(
        session_id="a", offset=offset, cols=cols, rows=rows, engine_version="e", data="ZGF0YQ==",
        light=light, keep_from=keep,
    )  # fmt: skip
    return (part,)


def _entries(ring: Ring) -> list[Chunk | Size]:
    return [ring.entry(number) for number in range(ring.start, ring.end)]


class RingStory(RuleBasedStateMachine):
    """Any sequence of output, resizes, packing and checkpoints, beside a model with a memory."""

    LIMIT = 4000

    def __init__(self) -> None:
        super().__init__()
        self.ring = Ring(80, 24, limit=self.LIMIT)
        self.stream = b""
        self.ends: list[int] = []
        self.size = (80, 24)
        self.lights: set[int] = set()
        self.clock = 0.0

    @property
    def kept_base(self) -> int:
        return self.ring.checkpoint[-1].offset if self.ring.checkpoint else 0

    @rule(
        data=st.one_of(
            st.binary(min_size=1, max_size=300),
            st.lists(st.sampled_from([b"word ", b"line\r\n", b"\n"]), min_size=1).map(b"".join),
        )
    )
    def print(self, data: bytes) -> None:
        self.clock += 1
        assert self.ring.add(data, self.clock).end == len(self.stream) + len(data)
        self.stream += data
        self.ends.append(len(self.stream))

    @rule(cols=st.integers(1, 9), rows=st.integers(1, 9))
    def resize(self, cols: int, rows: int) -> None:
        self.ring.resize(cols, rows)
        self.size = (cols, rows)

    @precondition(lambda self: self.ends)
    @rule(data=st.data())
    def checkpoint(self, data: st.DataObject) -> None:
        offset = data.draw(st.sampled_from(self.ends))
        before = self.ring.first_offset
        self.ring.save(_checkpoint(offset, *self.size))
        assert self.kept_base == max(offset, self.kept_base)
        assert self.ring.first_offset == max(before, offset)

    @precondition(lambda self: self.ends)
    @rule(data=st.data())
    def light_checkpoint(self, data: st.DataObject) -> None:
        offset = data.draw(st.sampled_from(self.ends[-5:]))
        before = self.ring.start, self.ring.first_offset, self.kept_base
        self.ring.save(_checkpoint(offset, *self.size, light=True))
        assert (self.ring.start, self.ring.first_offset, self.kept_base) == before
        self.lights.add(offset)

    @precondition(lambda self: self.ends and self.ring.lights)
    @rule(data=st.data())
    def let_go_of_what_is_old(self, data: st.DataObject) -> None:
        keep = data.draw(st.sampled_from(self.ring.lights))
        newest = max(self.ends[-1], keep)
        later = [light for light in self.ring.lights if light > keep]
        self.ring.save(_checkpoint(newest, *self.size, light=True, keep=keep))
        self.lights.add(newest)
        assert self.ring.first_offset == self.kept_base == keep
        assert set(later) <= set(self.ring.lights) | {newest}

    @rule()
    def pack(self) -> None:
        while self.ring.pack_next():
            pass

    @rule(data=st.data())
    def read_anywhere(self, data: st.DataObject) -> None:
        if self.ring.end > self.ring.start:
            number = data.draw(st.integers(self.ring.start, self.ring.end - 1))
            assert self.ring.entry(number) == _entries(self.ring)[number - self.ring.start]

    @invariant()
    def keeps_few_light_ones_in_order(self) -> None:
        lights = self.ring.lights
        assert list(lights) == sorted(set(lights)) and set(lights) <= self.lights
        assert len(lights) <= LIGHT_MOST
        assert all(light > self.kept_base for light in lights)
        assert all(light >= self.ring.first_offset for light in lights)

    @invariant()
    def its_base_is_one_that_was_given(self) -> None:
        if self.ring.checkpoint and self.ring.checkpoint[-1].light:
            assert self.kept_base in self.lights
            assert self.ring.checkpoint[-1].keep_from is None

    @invariant()
    def gives_exactly_what_was_printed(self) -> None:
        chunks = [entry for entry in _entries(self.ring) if isinstance(entry, Chunk)]
        first = self.ring.first_offset
        assert b"".join(chunk.data for chunk in chunks) == self.stream[first:]
        assert [chunk.end for chunk in chunks] == [end for end in self.ends if end > first]

    @invariant()
    def is_bounded(self) -> None:
        assert self.ring.charge <= self.LIMIT + OVERHEAD
        assert self.ring.charge == sum(
            OVERHEAD + (len(e.data) if isinstance(e, Chunk) else 0) for e in _entries(self.ring)
        )

    @invariant()
    def says_what_was_left_out(self) -> None:
        assert self.ring.left_out == self.ring.first_offset - self.kept_base >= 0

    @invariant()
    def ends_with_the_size_of_now(self) -> None:
        sizes = [entry for entry in _entries(self.ring) if isinstance(entry, Size)]
        assert (sizes[-1][1:] if sizes else self.ring.first_size) == self.size

    @invariant()
    def knows_what_is_fresh(self) -> None:
        settled = self.ring.settled_before(self.clock - 2)
        late = self.ends[-2:]
        assert settled <= self.ring.end_offset
        assert not late or settled <= max(late[0] - 1, self.ring.first_offset)


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments so small that a short story has many of them, each worth packing."""
    monkeypatch.setattr(entries, "SEGMENT", 600)
    monkeypatch.setattr(entries, "_WORTH_PACKING", 200)


RingStory.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestRingStory = RingStory.TestCase


@given(st.lists(st.sampled_from([b"a\n", b"bb\r\n", b"c" * 50 + b"\n", b"d" * 90]), min_size=30))
@pytest.mark.requirement("NB-13")
def test_whole_lines_are_dropped(pieces: list[bytes]) -> None:
    ring = Ring(80, 24, limit=3000)
    stream = b"".join(pieces)
    for piece in pieces:
        ring.add(piece, 0.0)
    first = ring.first_offset
    assert first == 0 or stream[first - 1 : first] == b"\n" or b"\n" not in stream[first:]


def test_a_resize_at_the_checkpoint_itself_is_kept() -> None:
    ring = Ring(80, 24)
    ring.add(b"one", 0.0)
    ring.resize(100, 30)
    ring.save(_checkpoint(3))
    assert _entries(ring) == [Size(3, 100, 30)]
    assert ring.first_size == (80, 24)


def test_a_checkpoint_inside_a_chunk_is_refused() -> None:
    ring = Ring(80, 24)
    ring.add(b"one", 0.0)
    with pytest.raises(BadCheckpoint):
        ring.save(_checkpoint(2))
    with pytest.raises(BadCheckpoint):
        ring.save(_checkpoint(9))


def test_an_older_checkpoint_changes_nothing() -> None:
    ring = Ring(80, 24)
    for _ in range(3):
        ring.add(b"one", 0.0)
    ring.save(_checkpoint(6))
    ring.save(_checkpoint(3))
    assert ring.checkpoint[0].offset == 6


def test_small_chunks_are_charged_for_what_they_cost() -> None:
    ring = Ring(80, 24, limit=OVERHEAD * 100)
    for _ in range(1000):
        ring.add(b"x", 0.0)
    assert ring.end - ring.start <= 100


def test_a_light_checkpoint_takes_nothing_from_the_ring() -> None:
    ring = Ring(80, 24)
    for _ in range(3):
        ring.add(b"one", 0.0)
    ring.save(_checkpoint(6, light=True))
    assert (ring.first_offset, ring.checkpoint, ring.lights) == (0, (), (6,))


def test_past_the_limit_the_next_light_checkpoint_is_the_base() -> None:
    ring = Ring(80, 24, limit=3000)
    for number in range(1, 100):
        ring.add(b"x" * 39 + b"\n", 0.0)
        if number % 5 == 0:
            ring.save(_checkpoint(number * 40, light=True))
        assert ring.left_out == 0
    assert ring.checkpoint[-1].light
    assert ring.first_offset == ring.checkpoint[-1].offset > 0


@pytest.mark.requirement("NB-13")
def test_after_the_last_light_checkpoint_lines_are_dropped() -> None:
    ring = Ring(80, 24, limit=3000)
    ring.add(b"line\n", 0.0)
    ring.save(_checkpoint(5, light=True))
    for _ in range(100):
        ring.add(b"x" * 39 + b"\n", 0.0)
    assert ring.checkpoint[-1].offset == 5
    assert ring.left_out == ring.first_offset - 5 > 0


def test_what_was_thinned_out_is_replaced_by_an_older_one() -> None:
    ring = Ring(80, 24)
    for number in range(1, 41):
        ring.add(b"x" * 10, 0.0)
        ring.save(_checkpoint(number * 10, light=True))
    gone = next(at for at in range(200, 400, 10) if at not in ring.lights)
    older = max(light for light in ring.lights if light < gone)
    ring.save(_checkpoint(400, light=True, keep=gone))
    assert ring.first_offset == older
    assert ring.lights[-1] == 400


def test_a_whole_checkpoint_drops_every_older_one() -> None:
    ring = Ring(80, 24)
    for number in range(1, 6):
        ring.add(b"one", 0.0)
        ring.save(_checkpoint(number * 3, light=True))
    ring.save(_checkpoint(9))
    assert (ring.first_offset, ring.lights) == (9, (12, 15))
    assert not ring.checkpoint[-1].light


def test_a_packed_log_is_small_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    ring = Ring(80, 24)
    line = "\x1b[2m{:08d}\x1b[0m \x1b[3{};1mINFO\x1b[0m compiling \x1b[38;5;{}mmodule\x1b[39m\r\n"
    text = "".join(line.format(n, n % 8, n * 7919 % 256) for n in range(120_000)).encode()
    text = text[: 7 * 1024 * 1024]
    tracemalloc.start()
    for start in range(0, len(text), 4096):
        ring.add(text[start : start + 4096], 1.0)
    assert tracemalloc.get_traced_memory()[0] > 7 * 1024 * 1024
    while ring.pack_next():
        pass
    assert tracemalloc.get_traced_memory()[0] < 2 * 1024 * 1024
    assert b"".join(e.data for e in _entries(ring) if isinstance(e, Chunk)) == text
    assert tracemalloc.get_traced_memory()[0] < 2 * 1024 * 1024
    tracemalloc.stop()
    assert not ring.pack_next()
    ring.add(b"more", 2.0)
    assert ring.entry(ring.end - 1) == Chunk(len(text) + 4, b"more", 2.0)


def test_thousands_of_tiny_chunks_pack_well() -> None:
    ring = Ring(80, 24)
    for number in range(20_000):
        ring.add(b"\r%d %%" % number, float(number))
    before = ring.charge
    while ring.pack_next():
        pass
    assert ring.charge == before
    assert ring.settled_before(10_000.0) == sum(len(b"\r%d %%" % n) for n in range(10_001))


def test_a_sequence_after_an_offset_is_found_wherever_it_was_cut() -> None:
    ring = Ring(80, 24)
    ring.add(b"\x1b[c", 0.0)
    asked = ring.end_offset
    assert not ring.has_after(asked, b"\x1b]133;D")
    ring.add(b"out\x1b]13", 1.0)
    ring.add(b"3;D;0\x07", 2.0)
    assert ring.has_after(asked, b"\x1b]133;D")
    assert not ring.has_after(ring.end_offset, b"\x1b]133;D")
    assert not ring.has_after(asked + 1, b"\x1b]133;D")
