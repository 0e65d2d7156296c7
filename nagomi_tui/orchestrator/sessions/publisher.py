"""Sends all clients the state of a session, and stores its record."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.runtime.throttle import Throttle
    from nagomi_tui.orchestrator.sessions.audience import Broadcast
    from nagomi_tui.orchestrator.sessions.roles import Listed
    from nagomi_tui.orchestrator.sessions.store import Store

PUBLISH_SECONDS: Final = 0.1
_AT_ONCE: Final = 3


class Publisher:
    """Publishes sessions that are on the list; others are not published."""

    def __init__(self, broadcast: Broadcast, store: Store, throttle: Throttle) -> None:
        self._broadcast = broadcast
        self._store = store
        self._throttle = throttle

    def publish(self, session: Listed) -> None:
        """Store the session's record, and send its state to every client."""
        if session.listed:
            self.keep(session)
            self._broadcast(messages.SessionChanged(session=session.info))

    def publish_soon(self, session: Listed) -> None:
        """Publish a session that its program changes, at a limited rate."""
        tell = partial(self.publish, session)
        self._throttle.call((session, "published"), tell, every=PUBLISH_SECONDS, burst=_AT_ONCE)

    def keep(self, session: Listed) -> None:
        """Store the session's record, and have its worker keep a note of it."""
        self._store.keep(session.info.place, session.record())
        session.tell_worker()

    def removed(self, session: Listed) -> None:
        """Delete the record of a session that has left the list, and tell every client."""
        self._store.drop(session.session_id)
        self._broadcast(messages.SessionRemoved(session_id=session.session_id))
