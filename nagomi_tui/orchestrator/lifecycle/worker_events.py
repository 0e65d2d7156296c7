"""Receives workers' messages, and handles workers that are gone or found again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.lifecycle.adoption import Adoption
    from nagomi_tui.orchestrator.lifecycle.orphans import Orphans
    from nagomi_tui.orchestrator.output.feeder import Feeder
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage

_log = logging.getLogger(__name__)
_FROM_PROGRAMS: Final = (protocol.Hook, protocol.Asked, protocol.Located)
_MOST_WAITING: Final = 500
"""Most messages of a session that may wait; programs on a hand are not heard beyond that."""


class WorkerEvents:
    """The owner of the pool of workers: their messages and their ends come here."""

    def __init__(
        self, sessions: SessionTable, feeder: Feeder, adoption: Adoption, orphans: Orphans
    ) -> None:
        self._sessions = sessions
        self._feeder = feeder
        self._adoption = adoption
        self._orphans = orphans

    def heard(self, link: WorkerLink, messages: list[WorkerMessage]) -> None:
        """Queue each message until its session's turn."""
        for message in messages:
            session_id = getattr(message, "session_id", "")
            session = self._sessions.get(session_id)
            if session is None or session.run.link is not link:
                if session_id or isinstance(message, protocol.Error):
                    _log.info("worker %s said a %s of nobody", link.name, type(message).__name__)
                continue
            if isinstance(message, _FROM_PROGRAMS) and len(session.run.backlog) >= _MOST_WAITING:
                continue
            self._feeder.offer(session, message)
        self._feeder.serve()

    def lost(self, link: WorkerLink) -> None:
        """Mark the sessions of a dead worker as lost."""
        self._orphans.lose(link)

    async def found_again(self, link: WorkerLink) -> None:
        """Take over a worker's sessions again, after its connection had broken."""
        for session in self._sessions.all:
            if session.run.worker == link.name and session.run.link is not None:
                session.run.link = link
        await self._adoption.take_over(link)
