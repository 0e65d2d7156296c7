"""A slow line is kept busy and has no queue, whatever it carries; what is sent over it is packed."""

from __future__ import annotations

import random
from collections import deque
from typing import Final

import pytest

from nagomi_tui.orchestrator.workers.link import OutputBatch, WorkerReader
from nagomi_worker.wire import protocol
from nagomi_worker.wire.slow_line import Pacing, Packer

_PACKET: Final = 1400


class SimulatedLine:
    """So many bytes a second, a round trip, and a sender that has always more, in simulated time."""

    def __init__(self, rate: float, trip: float, jitter: float = 0.0) -> None:
        self.rate, self.trip, self.jitter = rate, trip, jitter
        self.pacing = Pacing()
        self.now = 0.0
        self.carried = 0
        self.queues: list[float] = []
        """Seconds that each packet has waited."""
        self._free_at = 0.0
        self._answers: deque[tuple[float, int]] = deque()
        self._dice = random.Random(5)

    def run(self, seconds: float, *, busy: bool = True) -> None:
        end = self.now + seconds
        while self.now < end:
            while busy and self.pacing.room() > 0:
                self._send()
            if not self._answers:
                self.now = end
                return
            at, total = self._answers.popleft()
            self.now = max(self.now, at)
            self.pacing.came(total, self.now)

    def _send(self) -> None:
        self.pacing.went(_PACKET, self.now)
        self.carried += _PACKET
        begins = max(self.now, self._free_at)
        self.queues.append(begins - self.now)
        self._free_at = begins + _PACKET / self.rate
        answer = self._free_at + self.trip + self._dice.random() * self.jitter
        self._answers.append(
            (max(answer, self._answers[-1][0] if self._answers else 0), self.carried)
        )

    def measured(self, seconds: float) -> tuple[float, float]:
        """Return the share of the line that was used, and the 95th percentile of the queue."""
        self.queues, before = [], self.carried
        self.run(seconds)
        waits = sorted(self.queues)
        return (self.carried - before) / seconds / self.rate, waits[int(0.95 * len(waits))]


@pytest.mark.parametrize("trip", [0.002, 0.05, 0.2])
@pytest.mark.parametrize("rate", [30_000, 300_000, 3_000_000])
@pytest.mark.parametrize("jitter", [0.0, 0.004])
def test_a_line_is_used_and_nothing_waits_long(rate: float, trip: float, jitter: float) -> None:
    line = SimulatedLine(rate, trip, jitter)
    line.run(30.0)
    used, queue = line.measured(60.0)
    assert used > 0.75
    assert queue < max(0.03, 3 * 4096 / rate)  # the least window may be more on the slowest


def test_a_line_that_becomes_slower_or_longer_is_noticed() -> None:
    line = SimulatedLine(1_000_000, 0.05)
    line.run(20.0)
    line.rate = 200_000
    line.run(5.0)
    used, queue = line.measured(20.0)
    assert used > 0.75 and queue < 0.045
    line.trip = 0.2
    line.run(40.0)
    used, queue = line.measured(20.0)
    assert used > 0.7 and queue < 0.04


def test_after_a_rest_the_window_is_as_it_was() -> None:
    line = SimulatedLine(300_000, 0.05)
    line.run(20.0)
    line.run(1.0, busy=False)
    window = line.pacing.window
    line.run(60.0, busy=False)
    assert line.pacing.window == window > 8_000


def test_nonsense_of_the_far_end_changes_nothing() -> None:
    pacing = Pacing()
    pacing.went(1000, 1.0)
    room = pacing.room()
    for total in (0, 5000, 10**18):
        pacing.came(total, 2.0)
        assert pacing.room() == room
    pacing.came(1000, 2.0)
    assert pacing.room() == room + 1000


def raw(data: bytes) -> bytes:
    return protocol.encode(protocol.Raw(session_id="a", offset=9, sizes=(len(data),))) + data


def test_what_was_packed_comes_out_in_its_order_wherever_it_is_cut() -> None:
    texts = [b"x", b"the same line again\r\n" * 100, b"y" * 300, b"the same line again\r\n" * 100]
    packer = Packer()
    pieces = [packer.pack(raw(text)) for text in texts]
    assert len(pieces[3]) < len(pieces[1]) < 300  # the second time it is known already
    pieces.append(protocol.encode(protocol.Pong()))
    stream = b"".join(pieces)
    for step in (1, 7, len(stream)):
        reader = WorkerReader("w", packed=True)
        heard = [
            message
            for at in range(0, len(stream), step)
            for message in reader.feed(stream[at : at + step])
        ]
        assert [one.data for one in heard if isinstance(one, OutputBatch)] == texts
        assert isinstance(heard[-1], protocol.Pong)


def test_packed_bytes_that_are_none_lose_the_stream() -> None:
    good = Packer().pack(raw(b"z" * 1000))
    bomb = good.replace(b'"whole":', b'"whole":1')
    short = good.replace(b'"whole":', b'"whole":10,"w":')
    damaged = good[:-9] + b"\xff" * 9
    for stream in (bomb, short, damaged):
        with pytest.raises(protocol.StreamLost):
            WorkerReader("w", packed=True).feed(stream)


def test_packed_bytes_that_nobody_asked_for_are_no_message() -> None:
    assert WorkerReader("w").feed(b'{"type":"packed","size":5,"whole":9}\n{"type":"pong"}\n') == [
        protocol.Pong()
    ]
    inner = Packer().pack(raw(b"z" * 1000))
    outer = Packer()
    reader = WorkerReader("w", packed=True)
    reader.feed(outer.pack(inner + b" " * 200 + b"\n"))
    assert reader.feed(protocol.encode(protocol.Pong()))[-1] == protocol.Pong()
