"""Applies workers' messages session by session: a batch at a time, just-typed sessions first.

Output that came in one go is applied together, as far as that is quick. What waits here is not
acknowledged, so that workers soon stop sending, and floods never delay the echo of a key.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

import anyio
from anyio.lowlevel import checkpoint

from nagomi_tui.orchestrator.output.read_ahead import TICK, ReadAhead
from nagomi_tui.orchestrator.workers.link import OutputBatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.workers.link import WorkerMessage

_log = logging.getLogger(__name__)
_SLICE_SECONDS: Final = 0.001
"""Seconds for which other tasks may wait while sessions are fed and the user types."""
_CALM_SLICE_SECONDS: Final = 0.002
"""The same while nobody types."""
_TYPING_SECONDS: Final = 1.0
"""Seconds after an echo for which the user counts as typing."""
_BREATH_SECONDS: Final = 0.001
"""Pause between slices of floods while the user types elsewhere: a core is free for the echo."""
_TOGETHER: Final = 20
"""Most chunks of output in a batch, as many as a worker sends in a message; a slow engine gets
fewer."""


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
        self._ahead = ReadAhead["SessionRuntime"](leave_out, is_scrolled)
        self._hot: deque[SessionRuntime] = deque()
        self._others: deque[SessionRuntime] = deque()
        self._typing_until = 0.0
        self._wanted = anyio.Event()

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
        run.together = min(2 * run.together, _TOGETHER) if quick else max(1, run.together // 2)
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
    most = 1 if run.replay is not None else run.together
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
