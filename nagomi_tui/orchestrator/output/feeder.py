"""Applies workers' messages session by session: a batch at a time, just-typed sessions first.

Output that came in one go is applied together, as far as that is quick. What waits here is not
acknowledged, so that workers soon stop sending, and floods never delay the echo of a key.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import anyio
from anyio.lowlevel import checkpoint

from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import OutputBatch, WorkerLink, WorkerMessage
from nagomi_worker.runtime.limits import HOT_SECONDS
from nagomi_worker.wire import protocol

_log = logging.getLogger(__name__)
_SLICE_SECONDS: Final = 0.001
"""Seconds for which other tasks may wait while sessions are fed and the user types."""
_CALM_SLICE_SECONDS: Final = 0.002
"""Seconds for which other tasks may wait while sessions are fed and nobody types."""
_TYPING_SECONDS: Final = 1.0
"""Seconds after an echo for which the user counts as typing."""
_BREATH_SECONDS: Final = 0.001
"""Pause between slices of floods while the user types elsewhere: a core is free for the echo."""
_TOGETHER: Final = 20
"""Most chunks of output in a batch, as many as a worker sends in a message; a slow engine gets
fewer."""


_FROM_PROGRAMS: Final = (protocol.Hook, protocol.Asked, protocol.Located)
_MOST_WAITING: Final = 500
"""Most messages of a session that may wait; programs on a hand are not heard beyond that."""
TICK: Final = 0.012
"""Seconds without output after which a flood counts as over."""
_KEY_SECONDS: Final = 0.1
"""Seconds after a key in which a session is not read ahead, so that its echo is drawn soon."""
_LOOK: Final = 0.05
"""Seconds between two pieces of the flood that are drawn."""
_FLOOD: Final = 128 * 1024
"""Bytes of output that wait for being drawn only in the flood of a session that prints alone."""
_MOST: Final = 16 * 1024 * 1024
"""Bytes that may wait: 20,000 lines of the benchmarks' coloured log are 8 MB."""


class ReadAhead:
    """Reads at most one session ahead: one that prints while the others are silent.

    A worker sends only what was acknowledged before, which is what was drawn. A flood of plain lines
    is acknowledged as it comes, so that it waits here. What of it is followed by more lines than the
    history keeps is left out; meanwhile the screen goes on some times a second. So a flood takes
    about as long as it takes to read it, and the end of it to be drawn.
    """

    def __init__(
        self,
        leave_out: Callable[[SessionRuntime, OutputBatch, int], None],
        is_scrolled: Callable[[SessionRuntime], bool],
    ) -> None:
        """`leave_out` hears of each message that is left out, and how many lines it ends."""
        self._leave_out = leave_out
        self._is_scrolled = is_scrolled
        self.session: SessionRuntime | None = None
        """The session that is read ahead; the feeder's queues do not have it."""
        self._heard: SessionRuntime | None = None
        """The session that was last heard of in a flood; and when that was."""
        self._heard_at = 0.0
        self._looked_at = 0.0

    def heard(self, session: SessionRuntime, message: WorkerMessage, now: float) -> None:
        """Note a message that was put into the session's backlog."""
        run = session.run
        if not isinstance(message, OutputBatch):
            run.plain.cut(len(run.backlog))
            return
        run.waiting += len(message.data)
        if run.waiting > _FLOOD or session is self.session:
            run.plain.add(message.data, len(run.backlog))
        else:
            run.plain.cut(len(run.backlog))
            return
        self._heard, self._heard_at = session, now
        if session is self.session:
            self._acknowledge(session, message)
            self._leave_out_heads(session)

    def begins(self, session: SessionRuntime, now: float) -> bool:
        """Read a session ahead from now on, if it floods and its terminal scrolls whole."""
        run = session.run
        if run.waiting <= _FLOOD or run.plain.before or not self._may_be_ahead(session, now):
            return False
        if self._heard is not session or now - self._heard_at >= TICK:
            return False
        assert run.screen is not None
        run.plain.ask(run.screen.lines_until_forgotten, len(run.backlog))
        if run.plain.reach is None:
            return False
        self.session, self._looked_at, run.is_read_ahead = session, now, True
        last = run.backlog[-1]
        assert isinstance(last, OutputBatch)
        self._acknowledge(session, last)
        self._leave_out_heads(session)
        return True

    def goes_on(self, now: float) -> bool:
        """Tell whether the session is still to be read ahead."""
        session = self.session
        return (
            session is not None
            and now - self._heard_at < TICK
            and not session.run.plain.before
            and session.run.waiting < _MOST
            and self._may_be_ahead(session, now)
        )

    def end(self) -> None:
        """Read the session ahead no more."""
        if self.session is not None:
            self.session.run.is_read_ahead = False
        self.session = None

    def looks(self, now: float) -> bool:
        """Tell whether a piece of the flood is to be drawn now."""
        if self.session is None or now - self._looked_at < _LOOK:
            return False
        self._looked_at = now
        return bool(self.session.run.backlog)

    def _acknowledge(self, session: SessionRuntime, message: OutputBatch) -> None:
        run = session.run
        if run.link is not None and message.offset is not None and run.waiting < _MOST:
            run.acked = message.offset
            run.link.send(protocol.Ack(session_id=session.session_id, offset=message.offset))

    def _leave_out_heads(self, session: SessionRuntime) -> None:
        run = session.run
        while run.plain.hides_first and not (session.readers or session.searches):
            first, lines = run.backlog[0], run.plain.first_lines
            assert isinstance(first, OutputBatch)
            run.take_first()
            self._leave_out(session, first, lines)

    def _may_be_ahead(self, session: SessionRuntime, now: float) -> bool:
        """Tell whether nobody needs each line of it, reads its history, or waits for an echo."""
        run = session.run
        is_here = run.link is not None and run.link.is_local
        is_drawn = run.screen is not None and run.replay is None
        is_typed = now < run.hot_until - HOT_SECONDS + _KEY_SECONDS
        is_needed = is_typed or session.readers or session.searches or self._is_scrolled(session)
        return is_here and is_drawn and not is_needed


class Feeder:
    """Queues workers' messages until they are applied; credit bounds what can wait here."""

    def __init__(
        self,
        take: Callable[[SessionRuntime, Sequence[WorkerMessage]], None],
        leave_out: Callable[[SessionRuntime, OutputBatch, int], None],
        is_scrolled: Callable[[SessionRuntime], bool],
    ) -> None:
        """`leave_out` hears of output that will have scrolled away unseen, and of how many lines.

        `is_scrolled` tells whether somebody reads the history of a session.
        """
        self._take = take
        self._ahead = ReadAhead(leave_out, is_scrolled)
        self._hot: deque[SessionRuntime] = deque()
        self._others: deque[SessionRuntime] = deque()
        self._typing_until = 0.0
        self._wanted = anyio.Event()

    def heard(
        self,
        find: Callable[[str], SessionRuntime | None],
        link: WorkerLink,
        messages: Sequence[WorkerMessage],
    ) -> None:
        """Keep messages of a worker, each until its session's turn; `find` finds one by its id."""
        for message in messages:
            session_id = getattr(message, "session_id", "")
            session = find(session_id)
            if session is None or session.run.link is not link:
                if session_id or isinstance(message, protocol.Error):
                    _log.info("worker %s said a %s of nobody", link.name, type(message).__name__)
                continue
            if isinstance(message, _FROM_PROGRAMS) and len(session.run.backlog) >= _MOST_WAITING:
                continue
            self.offer(session, message)
        self.serve()

    def offer(self, session: SessionRuntime, message: WorkerMessage) -> None:
        """Keep a message of a session until its turn."""
        session.run.backlog.append(message)
        self._ahead.heard(session, message, time.monotonic())
        if session is self._ahead.session:
            if session.run.plain.before:
                self._wanted.set()
        elif len(session.run.backlog) == 1 and not session.readers:
            self._queue(session).append(session)

    @asynccontextmanager
    async def whole(self, session: SessionRuntime) -> AsyncIterator[None]:
        """Draw what has come so far of a session before its history is read, and read no more ahead.

        The terminal of a flood that is read ahead has next to no history.
        """
        session.searches += 1
        try:
            last = session.run.backlog[-1] if session.run.backlog else None
            while session is self._ahead.session or last in session.run.backlog:  # noqa: ASYNC110
                await anyio.sleep(TICK)
            yield
        finally:
            session.searches -= 1

    @contextmanager
    def paused(self, session: SessionRuntime) -> Iterator[None]:
        """Apply nothing for a session while its lines are read; its credit runs out meanwhile."""
        session.readers += 1
        try:
            yield
        finally:
            session.readers -= 1
            is_queued = session.readers or session is self._ahead.session
            if session.run.backlog and not is_queued:
                self._others.append(session)
                self._wanted.set()

    def serve(self) -> None:
        """Apply messages of just-typed sessions; the others are left to `run`."""
        self._serve_until(time.monotonic() + _SLICE_SECONDS, hot_only=True)
        if self._hot or self._others:
            self._wanted.set()

    async def run(self) -> None:
        """Apply messages of all sessions in short slices, for ever."""
        while True:
            with anyio.move_on_after(TICK if self._ahead.session else None):
                await self._wanted.wait()
            self._wanted = anyio.Event()
            now = time.monotonic()
            self._look_ahead(now)
            self._serve_until(now + self._slice(now))
            if self._hot or self._others:
                self._wanted.set()
            if self._others and now < self._typing_until:
                await anyio.sleep(_BREATH_SECONDS)
            else:
                await checkpoint()

    def _look_ahead(self, now: float) -> None:
        """Draw a piece of what is read ahead, or put the session back among the others."""
        session = self._ahead.session
        if session is None:
            return
        if self._hot or self._others or not self._ahead.goes_on(now):
            self._ahead.end()
            if session.run.backlog and not session.readers:
                self._queue(session).append(session)
        elif self._ahead.looks(now):
            self._feed(session)

    def _serve_until(self, deadline: float, *, hot_only: bool = False) -> None:
        while queue := self._hot or (not hot_only and self._others):
            self._serve_one(queue)
            if time.monotonic() >= deadline:
                return

    def _slice(self, now: float) -> float:
        return _SLICE_SECONDS if now < self._typing_until else _CALM_SLICE_SECONDS

    def _queue(self, session: SessionRuntime) -> deque[SessionRuntime]:
        if not session.run.hot:
            return self._others
        self._typing_until = time.monotonic() + _TYPING_SECONDS
        return self._hot

    def _serve_one(self, queue: deque[SessionRuntime]) -> None:
        session = queue.popleft()
        if not session.run.backlog or session.readers:
            return
        self._feed(session)
        if session.run.backlog and not self._begins_ahead(session):
            self._queue(session).append(session)

    def _begins_ahead(self, session: SessionRuntime) -> bool:
        """Read a session ahead from now on, if it may be; `run` then looks how that goes."""
        is_alone = not (self._hot or self._others or self._ahead.session)
        begins = is_alone and self._ahead.begins(session, time.monotonic())
        if begins:
            self._wanted.set()
        return begins

    def _feed(self, session: SessionRuntime) -> None:
        """Apply a batch of a session's backlog, which is not empty."""
        run, batch = session.run, _batch(session)
        began = time.monotonic()
        try:
            self._take(session, batch)
        except Exception:
            _log.exception("session %s: a %s was not taken in", session.session_id, type(batch[0]))
        quick = time.monotonic() - began < self._slice(began) / 2
        run.most_together = (
            min(2 * run.most_together, _TOGETHER) if quick else max(1, run.most_together // 2)
        )
        # Emptied by a restart meanwhile, or still there: only what was served is taken away.
        if session.run.backlog and session.run.backlog[0] is batch[0]:
            for _ in batch:
                session.run.take_first()


def _batch(session: SessionRuntime) -> list[WorkerMessage]:
    """Return the next message, or some output; in a replay each chunk counts by its offset."""
    run = session.run
    first = run.backlog[0]
    if not isinstance(first, OutputBatch):
        return [first]
    most = 1 if run.replay is not None else run.most_together
    if len(first.sizes) > most:
        run.backlog.popleft()
        pieces = first.pieces(most)
        run.backlog.extendleft(reversed(pieces))
        run.plain.split(piece.data for piece in pieces)
    batch: list[WorkerMessage] = []
    for message in run.backlog:
        if not isinstance(message, OutputBatch) or len(message.sizes) > most:
            break
        most -= len(message.sizes)
        batch.append(message)
    return batch
