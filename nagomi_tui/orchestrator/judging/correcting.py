"""Handles corrections: the user tells the real state of a session."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

import anyio.to_thread

from nagomi_tui import paths
from nagomi_tui.core.judge.account import everything
from nagomi_tui.core.judge.verdict import BUSY
from nagomi_tui.orchestrator.judging import corrections
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.core.judge.verdict import State
    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Named


class Correcting:
    """Stores corrections, and passes them to the judge."""

    def __init__(self, judged: Mapping[Named, Judged], judges: Judges, traces: Traces) -> None:
        self._judged = judged
        self._judges = judges
        self._traces = traces

    async def correct(self, session: Judgeable, state: State) -> None:
        """Store the correction, and show this state for the rest of the turn.

        Raises:
            Refusal: nobody judges this session, or it has ended and cannot be at work.
        """
        judged = self._judged.get(session)
        if not session.running and state in BUSY:
            sentence = translatable("{name} has ended, and is not at work.")
            raise Refusal("refused", sentence, name=session.info.name)
        if judged is None:
            sentence = translatable("Nothing was judged of {name} that could be corrected.")
            raise Refusal("refused", sentence, name=session.info.name)
        judge, trace = judged.judge, self._traces.get(session)
        reason = judge.why()
        rows = session.run.screen.screen() if session.run.screen is not None else ()
        said = corrections.Correction(
            at=time.time(),
            session_id=session.session_id,
            turn=judge.known.turn.number,
            cmd=session.info.cmd,
            shown=reason.state,
            right=state,
            rule=reason.rule,
            confidence=reason.confidence,
            grounds=reason.grounds,
            known=everything(judge.known),
            lines=tuple(row.text for row in rows),
            trace=str(trace.path) if trace else "",
            trace_at=round(trace.seconds, 3) if trace else 0.0,
        )
        session.run.corrected = None if session.running else state
        self._judges.correct(session, state)
        try:
            await anyio.to_thread.run_sync(corrections.keep, paths.corrections_file(), said)
        except (sqlite3.Error, OSError) as exc:
            sentence = translatable("The correction is shown, but it cannot be kept: {reason}.")
            raise Refusal("internal", sentence, reason=exc) from exc
