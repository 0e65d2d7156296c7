"""Compresses the output of quiet sessions, one segment at a time, so that none is delayed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nagomi_worker.runtime.memory import give_back

if TYPE_CHECKING:
    from nagomi_worker.runtime.limits import Limits
    from nagomi_worker.runtime.loop import Loop
    from nagomi_worker.sessions.session import Session


class Packing:
    """Compresses a session's output once it has been quiet for a while."""

    def __init__(self, loop: Loop, limits: Limits) -> None:
        self._loop = loop
        self._quiet = limits.pack_seconds

    def printed(self, session: Session) -> None:
        """Note that a session has printed; compress when it falls quiet."""
        if session.packing is None:
            self._look_later(session, self._quiet)

    def forget(self, session: Session) -> None:
        """Cancel what was planned for a session."""
        if session.packing is not None:
            session.packing.cancel()

    def _look_later(self, session: Session, delay: float) -> None:
        session.packing = self._loop.call_later(delay, partial(self._look, session))

    def _look(self, session: Session) -> None:
        left = session.ring.printed_at + self._quiet - self._loop.now()
        if left > 0:
            self._look_later(session, left)
        elif session.ring.pack_next():
            self._look_later(session, 0)
        else:
            session.packing = None
            give_back()
