"""Applies output to the session's terminal, and tells the parts that follow it."""

from __future__ import annotations

import re
import time
from itertools import islice
from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.workers.output_batch import OutputBatch
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.text.screen import ScreenEvent
    from nagomi_tui.orchestrator.alerts.utterances import Utterances
    from nagomi_tui.orchestrator.history.transcripts import Transcripts
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.output.checkpoints import Checkpoints
    from nagomi_tui.orchestrator.output.rebuilding import Rebuilding
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.terminals.screens import Screen, ScreenMaker
    from nagomi_tui.orchestrator.views.frame_scheduler import FrameScheduler

ACK_BYTES: Final = 16 * 1024
_MUCH: Final = 16
"""Waiting chunks of a session that count as many: more than the window of one among several."""


_ERASES: Final = re.compile(
    rb"\x1b(?:(?P<reset>c)|\[(?:(?P<what>[23])J|(?:1?;?1?)H\x1b\[0?J|(?P<hides>\?(?:1049|1047|47)h)))"
)
"""What leaves nothing of the screen, or of the lines above it, or shows the other screen."""
_ERASURES: Final = (b"[2J", b"[3J", b"\x1b[J", b"\x1b[0J")
_SCREENS: Final = (b"[?1049h", b"[?1047h", b"[?47h")
_RESET: Final = re.compile(rb"\x1bc")
_LONGEST_CUT: Final = 12
_CUT: Final = re.compile(rb"\x1b(?:\[[0-9;?]{0,5}H?(?:\x1b(?:\[0?)?)?)?\Z")
_MOST_ERASURES: Final = 8
"""Erasures in a batch before which lines are read: a program that does more shows pictures."""


class Drawing:
    """Feeds terminals; the echo of a key goes to views before anything else is done."""

    def __init__(
        self,
        screens: ScreenMaker,
        rebuilding: Rebuilding,
        judges: Judges,
        *,
        scheduler: FrameScheduler,
        checkpoints: Checkpoints,
        transcripts: Transcripts,
        utterances: Utterances,
    ) -> None:
        self._screens = screens
        self._rebuilding = rebuilding
        self._judges = judges
        self._scheduler = scheduler
        self._checkpoints = checkpoints
        self._transcripts = transcripts
        self._utterances = utterances

    def take(self, session: SessionRuntime, outputs: Sequence[OutputBatch]) -> None:
        """Apply output of a session."""
        run = session.run
        data = b"".join([output.data for output in outputs])
        screen = session.screen(self._screens)
        offset = outputs[-1].offset
        run.offset = offset if offset is not None else run.offset + len(data)
        run.ledger.add_output(len(data), chunks=sum(len(output.sizes) for output in outputs))
        if run.replay is not None:
            self._rebuilding.replayed(session, run.replay, screen, data)
            return
        replies, events = self._fed(session, screen, data)
        self._scheduler.touch(session)
        if run.hot:
            self._scheduler.rush(session)
        self._judges.settle(session, data, events)
        self._acknowledge(session, len(outputs))
        if replies:
            session.reply(replies, run.offset)
        run.output_at = time.time()
        self._checkpoints.after_output(session, len(data))
        self._transcripts.read_soon(session)
        if events:
            self._utterances.heard(session, events)
        if session.watchers:
            session.wake_watchers()

    def _fed(
        self, session: SessionRuntime, screen: Screen, data: bytes
    ) -> tuple[bytes, list[ScreenEvent]]:
        """Feed the terminal; what its program erases is read for the history before."""
        run = session.run
        tail, run.tail = run.tail, b""
        if not tail and not _may_erase(data):
            if (cut := _CUT.search(data, max(0, len(data) - _LONGEST_CUT))) is not None:
                run.tail = data[cut.start() :]
            return self._judges.feed(session, screen, data)
        replies, at = bytearray(), 0
        events: list[ScreenEvent] = []

        def feed(stop: int) -> None:
            nonlocal at
            if stop > at:
                answered, said = self._judges.feed(session, screen, data[at:stop])
                replies.extend(answered)
                events.extend(said)
                at = stop

        count = 0
        for found in _ERASES.finditer(tail + data):
            begin, end = max(at, found.start() - len(tail)), found.end() - len(tail)
            again = found["what"] == b"3" and bool(session.info.agent)
            if found["what"] == b"3" and self._screens.keeps_history:
                if again and count and begin == at:
                    self._transcripts.erased(session, again=True)
                continue
            count += 1
            if count > _MOST_ERASURES:
                self._transcripts.missed(session, data.count(b"\n", at, begin))
                feed(end)
                continue
            feed(begin)
            erases = found["hides"] is None
            self._transcripts.save(session, screen=erases)
            feed(end)
            if erases:
                self._transcripts.erased(session, again=again)
        if (cut := _CUT.search(data, max(at, len(data) - _LONGEST_CUT))) is not None:
            run.tail = data[cut.start() :]
        feed(len(data))
        return bytes(replies), events

    def leave_out(self, session: SessionRuntime, output: OutputBatch, lines: int) -> None:
        """Note output that ends so many lines and will have scrolled away unseen."""
        run = session.run
        assert run.screen is not None
        run.screen.skip(output.data, lines)
        run.offset = output.offset if output.offset is not None else run.offset + len(output.data)
        run.ledger.add_output(len(output.data), chunks=len(output.sizes))
        run.unsaved += len(output.data)
        run.output_at = time.time()
        self._judges.leave_out(session, output.data)

    def _acknowledge(self, session: SessionRuntime, taken: int) -> None:
        """Acknowledge output to the worker, less often while much waits, since each ack wakes it."""
        run = session.run
        waiting = sum(
            len(message.sizes)
            for message in islice(run.backlog, taken, taken + _MUCH)
            if isinstance(message, OutputBatch)
        )
        due = ACK_BYTES if waiting < _MUCH else 4 * ACK_BYTES
        if run.link is not None and run.offset - run.acked >= due:
            run.acked = run.offset
            run.link.send(protocol.Ack(session_id=session.session_id, offset=run.offset))


def _may_erase(data: bytes) -> bool:
    """Tell, at next to no cost, whether output may hold what `_ERASES` finds."""
    if b"\x1b" not in data:
        return False
    if b"J" in data and any(one in data for one in _ERASURES):
        return True
    if b"?" in data and any(one in data for one in _SCREENS):
        return True
    return _RESET.search(data) is not None
