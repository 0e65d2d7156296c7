"""Reads one session's flood faster than it is drawn, and leaves out what nobody can see any more.

A worker sends only what was acknowledged before, which is what was drawn. A flood of plain lines is
acknowledged as it comes, so that it waits here. What of it is followed by more lines than the
history keeps is left out; meanwhile the screen goes on some times a second. So a flood takes about
as long as it takes to read it, and the end of it to be drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import OutputBatch
from nagomi_worker.runtime.limits import HOT_SECONDS
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.workers.link import WorkerMessage

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


_Session = TypeVar("_Session", bound=SessionRuntime)


class ReadAhead(Generic[_Session]):
    """At most one session is read ahead: one that prints while the others are silent."""

    def __init__(
        self,
        leave_out: Callable[[_Session, OutputBatch, int], None],
        is_scrolled: Callable[[_Session], bool],
    ) -> None:
        """`leave_out` hears of each message that is left out, and how many lines it ends."""
        self._leave_out = leave_out
        self._is_scrolled = is_scrolled
        self.session: _Session | None = None
        """The session that is read ahead; the feeder's queues do not have it."""
        self._heard: _Session | None = None
        """The session that was last heard of in a flood; and when that was."""
        self._heard_at = 0.0
        self._looked_at = 0.0

    def heard(self, session: _Session, message: WorkerMessage, now: float) -> None:
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

    def begins(self, session: _Session, now: float) -> bool:
        """Read a session ahead from now on, if it floods and its terminal scrolls whole."""
        run = session.run
        if run.waiting <= _FLOOD or run.plain.before or not self._may_be_ahead(session, now):
            return False
        if self._heard is not session or now - self._heard_at >= TICK:
            return False
        assert run.screen is not None
        run.plain.ask(run.screen.reach, len(run.backlog))
        if run.plain.reach is None:
            return False
        self.session, self._looked_at, run.ahead = session, now, True
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
            self.session.run.ahead = False
        self.session = None

    def looks(self, now: float) -> bool:
        """Tell whether a piece of the flood is to be drawn now."""
        if self.session is None or now - self._looked_at < _LOOK:
            return False
        self._looked_at = now
        return bool(self.session.run.backlog)

    def _acknowledge(self, session: _Session, message: OutputBatch) -> None:
        run = session.run
        if run.link is not None and message.offset is not None and run.waiting < _MOST:
            run.acked = message.offset
            run.link.send(protocol.Ack(session_id=session.session_id, offset=message.offset))

    def _leave_out_heads(self, session: _Session) -> None:
        run = session.run
        while run.plain.hides_first and not (session.readers or session.searches):
            first, lines = run.backlog[0], run.plain.first_lines
            assert isinstance(first, OutputBatch)
            run.take_first()
            self._leave_out(session, first, lines)

    def _may_be_ahead(self, session: _Session, now: float) -> bool:
        """Tell whether nobody needs each line of it, reads its history, or waits for an echo."""
        run = session.run
        is_here = run.link is not None and run.link.is_local
        is_drawn = run.screen is not None and run.replay is None
        is_typed = now < run.hot_until - HOT_SECONDS + _KEY_SECONDS
        is_needed = is_typed or session.readers or session.searches or self._is_scrolled(session)
        return is_here and is_drawn and not is_needed
