"""The stages of this orchestrator's life: what it knows already, and whether it leaves."""

from __future__ import annotations

import time

import anyio


class Lifetime:
    """Events in this orchestrator's life that other parts wait for."""

    def __init__(self) -> None:
        self.started_at = time.time()
        self.settings_known = anyio.Event()
        """Set when the settings were read, or do not answer; no client is served before."""
        self.sessions_adopted = anyio.Event()
        """Set when it is known which sessions live; none is started or ended before."""
        self.leaving = anyio.Event()
        self.leave_reason = ""

    def leave(self, reason: str) -> None:
        """End this orchestrator: `reload`, `quit` or `terminate`."""
        self.leave_reason = self.leave_reason or reason
        self.leaving.set()
