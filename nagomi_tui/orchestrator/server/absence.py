"""Since when no front end is there, and what happened meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from nagomi_tui.core.session.digest import digest

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.runtime.clock import Clock
    from nagomi_tui.orchestrator.sessions.store import Store


class AgentDigest(Protocol):
    """What the resident agent has to tell a user who comes back."""

    def take_digest(self) -> tuple[tuple[str, str], ...]:
        """Return its lines, each with the kind of line that it is, once."""


class Absence:
    """Remembers when the last front end left, across lives of the orchestrator."""

    def __init__(self, store: Store, agent: AgentDigest, *, clock: Clock = time) -> None:
        self._store = store
        self._agent = agent
        self._clock = clock
        self._began: float | None = None
        """When the last front end left, in seconds since the epoch; None if none ever did."""

    def recall(self) -> None:
        """Load the time that was stored."""
        self._began = self._store.fact("left_at", float)

    def begin(self) -> None:
        """Note that the last front end leaves now."""
        self._began = self._clock.time()
        self._store.keep_fact("left_at", self._began)

    def digest(self, sessions: tuple[Session, ...]) -> tuple[tuple[str, str], ...]:
        """Return what became of sessions since, and what the resident agent says of it."""
        return (*digest(sessions, since=self._began), *self._agent.take_digest())
