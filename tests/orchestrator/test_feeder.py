"""How much of a session is taken in at once, counted in chunks however they came."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.sessions.run import Replay
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import OutputBatch
from nagomi_tui.sessions.session import Session
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.workers.link import WorkerMessage

_DATA = bytes(range(160))
_ATTACHED = protocol.Attached(
    session_id="a", first_offset=0, next_offset=160, reply_offset=0, fresh_offset=0, cols=8, rows=2
)


class Desk:
    """A feeder, one hot session that it serves at once, and the batches that it took."""

    def __init__(self, *, slow: bool = False) -> None:
        self.session = SessionRuntime(Session(session_id="a", number=1, name="a", cmd="", cwd="/"))
        self.session.run.hot_until = time.monotonic() + 100
        self.batches: list[list[WorkerMessage]] = []
        self._feeder = Feeder(self._take, lambda _one, _output, _lines: None, lambda _one: False)
        self._slow = slow

    def hear(self, *messages: WorkerMessage) -> None:
        """Take in what was said."""
        for message in messages:
            self._feeder.offer(self.session, message)
        while self.session.run.backlog:
            self._feeder.serve()

    @property
    def printed(self) -> list[OutputBatch]:
        """All output that was taken in."""
        return [one for batch in self.batches for one in batch if isinstance(one, OutputBatch)]

    @property
    def chunks(self) -> list[int]:
        """How many chunks of output there were in each batch."""
        return [
            sum(len(one.sizes) for one in batch if isinstance(one, OutputBatch))
            for batch in self.batches
        ]

    def _take(self, session: SessionRuntime, batch: Sequence[WorkerMessage]) -> None:
        self.batches.append(list(batch))
        if self._slow:
            time.sleep(0.002)


def message(offset: int, chunks: int) -> OutputBatch:
    """Return ten bytes a chunk that end at an offset."""
    return OutputBatch("a", _DATA[offset - 10 * chunks : offset], (10,) * chunks, offset)


def test_a_quick_terminal_gets_more_at_once_and_all_of_it_in_order() -> None:
    desk = Desk()
    desk.hear(message(80, 8), message(120, 4), message(160, 4))
    assert b"".join(one.data for one in desk.printed) == _DATA
    assert desk.printed[-1].offset == 160
    assert desk.chunks[0] == 1
    assert max(desk.chunks) > 1
    desk.session.run.most_together = 20
    desk.hear(message(80, 8), message(120, 4), message(160, 4))
    assert desk.batches[-1] == [message(80, 8), message(120, 4), message(160, 4)]


def test_a_slow_terminal_gets_few_chunks_of_a_large_message() -> None:
    desk = Desk(slow=True)
    desk.session.run.most_together = 4
    desk.hear(message(160, 16))
    assert desk.chunks == [4, 2, *[1] * 10]
    assert b"".join(one.data for one in desk.printed) == _DATA


def test_what_is_not_output_is_taken_in_by_itself_and_in_its_place() -> None:
    desk = Desk()
    desk.session.run.most_together = 20
    ended = protocol.Exit(session_id="a", exit_code=0)
    desk.hear(message(80, 8), ended, message(160, 8))
    assert desk.batches == [[message(80, 8)], [ended], [message(160, 8)]]


def test_in_a_replay_each_chunk_is_taken_in_at_its_own_offset() -> None:
    desk = Desk()
    desk.session.run.most_together = 20
    desk.session.run.replay = Replay(_ATTACHED, [], [])
    desk.hear(message(80, 8), message(160, 8))
    assert desk.batches == [[message(end, 1)] for end in range(10, 170, 10)]
