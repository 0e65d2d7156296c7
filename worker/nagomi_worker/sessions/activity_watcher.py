"""Samples what a session's foreground processes do when it falls silent, and reports it.

A sample takes a tenth of a millisecond. None is taken while a session floods; one follows as soon
as it is silent for a moment, then more with growing pauses, until its processes wait for the user:
only output or input can change that.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_worker.wire.protocol import Phase

if TYPE_CHECKING:
    from nagomi_worker.pty.activity import Activity
    from nagomi_worker.runtime.loop import Loop, Timer
    from nagomi_worker.sessions.delivery import Delivery
    from nagomi_worker.sessions.session import Session

SOON: Final = 0.15
"""Seconds of silence after which a sample is taken, beside the pauses between reads."""
_EACH: Final = 1.0
"""Seconds between samples of a session that keeps printing a little."""
_FLOOD: Final = 64 * 1024
"""Bytes printed since the last sample that count as a flood."""
_LONGEST: Final = 2.0
"""Most seconds between two samples of a silent session whose processes work."""
_REST: Final = 1.2
"""Seconds of pause after which no more samples are taken of processes that wait for the user."""


class _Watch:
    """What is known of one session; times are on the loop's clock."""

    def __init__(self) -> None:
        self.timer: Timer | None = None
        self.changed_at = 0.0
        self.looked_at = float("-inf")
        self.changed = True
        """There was output or input since the last sample."""
        self.printed = 0
        """Bytes printed since the last sample."""
        self.pause = 0.0
        self.seen: Activity | None = None
        self.told: Activity | None = None
        self.worked = False
        """Its processes worked in the sample that was last reported."""


class ActivityWatcher:
    """Samples sessions when that may show something new."""

    def __init__(self, loop: Loop, delivery: Delivery) -> None:
        self._loop = loop
        self._delivery = delivery
        self._watches: dict[Session, _Watch] = {}

    def changed(self, session: Session, size: int = 0) -> None:
        """Note `size` bytes of output, or input; a sample follows the next silence."""
        watch = self._watches.get(session)
        if watch is None:
            watch = self._watches[session] = _Watch()
        watch.changed_at = self._loop.now()
        watch.printed += size
        if watch.changed and watch.timer is not None:
            return
        watch.changed = True
        self._look_in(session, watch, SOON)

    def before_typing(self, session: Session) -> None:
        """Report at once if input is not echoed, so that nobody stores a password."""
        watch = self._watches.get(session)
        if watch is not None and session.pty is not None and session.pty.reads_unseen():
            self._look(session, watch)

    def forget(self, session: Session) -> None:
        """Take no more samples of a session."""
        if (watch := self._watches.pop(session, None)) and watch.timer:
            watch.timer.cancel()

    def _look_in(self, session: Session, watch: _Watch, delay: float) -> None:
        if watch.timer is not None:
            watch.timer.cancel()
        watch.timer = self._loop.call_later(delay, partial(self._on_timer, session, watch))

    def _on_timer(self, session: Session, watch: _Watch) -> None:
        watch.timer = None
        if session.pty is None or session.ended or session.cursor is None:
            return
        left = self._seconds_left(session, watch)
        if left > 0:
            self._look_in(session, watch, left)
        else:
            self._look(session, watch)

    def _seconds_left(self, session: Session, watch: _Watch) -> float:
        """Return the seconds until the next sample is due; 0 or less if it is now."""
        if not watch.changed:
            return 0.0
        soon = SOON + session.last_rest
        if not session.caught_up:
            return soon
        now = self._loop.now()
        silent = now - watch.changed_at
        flooded = watch.printed >= _FLOOD
        if flooded and silent >= soon:
            return 0.0
        if not flooded and now - watch.looked_at >= _EACH:
            return 0.0
        return soon - silent

    def _look(self, session: Session, watch: _Watch) -> None:
        found = session.pty.look() if session.pty is not None else None
        if found is None:
            return
        worked = found.worked_since(watch.seen)
        if watch.changed or worked or watch.worked or not found.same(watch.told):
            detail = msgspec.json.encode(found).decode()
            self._delivery.send(
                Phase(session_id=session.session_id, phase="activity", detail=detail)
            )
            watch.told, watch.worked = found, worked
        watch.pause = SOON if watch.changed else min(watch.pause * 2, _LONGEST)
        watch.changed, watch.printed = False, 0
        watch.seen, watch.looked_at = found, self._loop.now()
        if worked or watch.pause < _REST or not found.awaits_keys:
            self._look_in(session, watch, watch.pause)
