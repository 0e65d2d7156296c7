"""How far this orchestrator has come: what it knows already, and whether it leaves."""

from __future__ import annotations

import time

import anyio


class Lifetime:
    """The few moments that others wait for."""

    def __init__(self) -> None:
        self.started_at = time.time()
        self.settings_known = anyio.Event()
        """The settings were read, or do not answer; before, nobody is heard."""
        self.sessions_adopted = anyio.Event()
        """It is known which sessions live; before, none is started or ended."""
        self.leaving = anyio.Event()
        self.leave_reason = ""

    def leave(self, reason: str) -> None:
        """End this orchestrator: `reload`, `quit` or `terminate`."""
        self.leave_reason = self.leave_reason or reason
        self.leaving.set()
