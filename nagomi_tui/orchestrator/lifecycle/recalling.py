"""Puts the sessions of stored records on the list, after a start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.sessions.git import Branch
from nagomi_tui.orchestrator.sessions.session import from_record
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.runtime.crash_marker import Suspect
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.records import Record
    from nagomi_tui.orchestrator.sessions.table import SessionTable


class Recalling:
    """Makes sessions out of records."""

    def __init__(self, sessions: SessionTable, tell: Tell) -> None:
        self._sessions = sessions
        self._tell = tell

    def recall(self, records: list[Record], suspect: Suspect | None) -> None:
        """List the sessions of the records; whether they live is seen when workers are found.

        `suspect` names the session whose terminal engine has crashed or hung, or is None.
        """
        for record in records:
            session = from_record(record)
            if session.info.is_local:
                session.branch = Branch(session.info.here, session.info.branch)
            if suspect and suspect.session_id == session.session_id:
                session.run.distrusted = True
                session.run.snapshot_distrusted = suspect.restoring
                sentence = translatable(
                    "The terminal of {name} had a fault; it is drawn more carefully now, and slower."
                )
                self._tell("info", sentence, name=session.info.name)
            self._sessions.add(session)
