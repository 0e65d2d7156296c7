"""Which session is read next: each in turn, but those just typed into first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_worker.runtime.limits import HOT_SECONDS

if TYPE_CHECKING:
    from nagomi_worker.sessions.session import Session


class Turns:
    """Sessions that are ready to be read, in the order in which they became so."""

    def __init__(self) -> None:
        self._ready: dict[str, Session] = {}
        self._last_hot = False

    def __bool__(self) -> bool:
        return bool(self._ready)

    def add(self, session: Session) -> None:
        """Queue a session; one that is queued already keeps its place."""
        self._ready.setdefault(session.session_id, session)

    def drop(self, session: Session) -> None:
        """Remove a session from the queue."""
        self._ready.pop(session.session_id, None)

    def take(self, now: float) -> Session | None:
        """Remove and return the next session; None if no session waits.

        Sessions that were just typed into (hot ones) go first, but never twice in a row while
        others wait.
        """
        if not self._ready:
            return None
        hot = self._hot(now)
        cold = next((one for one in self._ready.values() if one is not hot), None)
        chosen = hot if hot and not (self._last_hot and cold) else cold
        assert chosen is not None
        self._last_hot = chosen is hot
        del self._ready[chosen.session_id]
        return chosen

    def _hot(self, now: float) -> Session | None:
        for session in self._ready.values():
            if now - session.typed_at < HOT_SECONDS:
                return session
        return None
