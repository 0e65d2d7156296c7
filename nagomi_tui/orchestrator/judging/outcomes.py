"""Carries out what a judge concludes: session, record, phase, trace and turn follow it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.judge.program import NO_TURNS
from nagomi_tui.core.judge.verdict import State
from nagomi_tui.core.session.session import LastTurn
from nagomi_tui.judging import telling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.core.judge.judge import Change
    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.judging.misreading import Misreading
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.judging.turns import Turns
    from nagomi_tui.orchestrator.runtime.clock import Clock
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Named

_AT_WORK: Final = ("running", "thinking")
"""Both as a state and as a phase."""
_SAYS_MORE: Final = (State.ATTENTION, State.FAILURE)
"""States that have more to say than a notice that came before them."""


class Outcomes:
    """Handles every change of a judge."""

    def __init__(
        self,
        judged: Mapping[Named, Judged],
        phases: Phases,
        turns: Turns,
        publisher: Publisher,
        traces: Traces,
        misreading: Misreading,
        clock: Clock = time,
    ) -> None:
        """`judged` holds the active judges, by session."""
        self._judged = judged
        self._phases = phases
        self._turns = turns
        self._publisher = publisher
        self._traces = traces
        self._misreading = misreading
        self._clock = clock

    def changed(self, session: Judgeable, change: Change) -> None:
        """Handle a new verdict of a session's judge."""
        judged = self._judged.get(session)
        if judged is None:
            return
        now = judged.changed_at = self._clock.time()
        self._phases.see_if_in_front(session)
        self._misreading.look(session, judged.judge)
        if (trace := self._traces.get(session)) is not None:
            trace.judged(change.after.state, change.after.finding.rule)
        turn, summary = change.after.turn, telling.verdict(judged.judge).summary
        if change.after.state not in _SAYS_MORE:
            summary = session.run.notice or summary
        since = session.info.phase_since if _goes_on(session, change) else now
        profile = judged.judge.profile
        session.change(turn=turn, summary=summary, phase_since=since, judge_profile=profile)
        over = change.completed and _is_told(judged, change)
        if over:
            session.change(last_turn=self._last_turn(session, judged, change))
        self._phases.update(session, told=True)
        if over:
            self._turns.over(session, judged, turn)

    def _last_turn(self, session: Judgeable, judged: Judged, change: Change) -> LastTurn:
        began = self._turns.began(session, judged)
        took = None if began is None else judged.changed_at - began
        return LastTurn(
            turn=change.after.turn,
            state=change.after.state,
            summary=session.info.summary,
            duration_ms=None if took is None else round(max(0.0, took) * 1000),
        )

    def reword(self, session: Judgeable, judged: Judged) -> None:
        """Word a call again: signals may come before the dialog is drawn."""
        view = judged.judge.known.view
        if judged.judge.shown.state is not State.ATTENTION or view is judged.worded:
            return
        judged.worded = view
        if session.change(summary=telling.verdict(judged.judge).summary):
            self._publisher.publish_soon(session)

    def name(self, session: Judgeable, judged: Judged) -> None:
        """Publish by which rules a session is read, since another program may be in the foreground.

        An agent may rest before its process is seen, and no verdict follows then.
        """
        seen = judged.judge.known.foreground
        if seen is judged.named_by:
            return
        judged.named_by = seen
        if session.change(judge_profile=judged.judge.profile):
            self._publisher.publish_soon(session)

    def hide(self, session: Judgeable, judged: Judged) -> None:
        """Publish whether a secret is read, so that front ends neither show nor keep what is typed."""
        secret = session.running and judged.reads_secret
        if secret is not session.info.secret:
            session.run.typed_text = ""
            session.change(secret=secret)
            self._publisher.publish(session)


def _goes_on(session: Judgeable, change: Change) -> bool:
    """Return whether a turn is at work as before: to think in between begins nothing new."""
    same_turn = change.before.turn == change.after.turn
    return same_turn and change.after.state in _AT_WORK and session.info.phase in _AT_WORK


def _is_told(judged: Judged, change: Change) -> bool:
    """Return whether a turn is told: a shell's first prompt, or one after no command, is none."""
    after, finding = change.after, change.after.finding
    if after.state is not State.UNKNOWN:
        return True
    return after.turn > judged.first_turn and finding.confirmed and finding.rule not in NO_TURNS
