"""What follows when a judge's verdict changes: phase, stored turn, sentences, listeners."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Final
from weakref import WeakSet

from nagomi_tui.api import messages
from nagomi_tui.judge import misread
from nagomi_tui.judge.judge import Change, Judge
from nagomi_tui.judge.program_rules import NO_TURNS
from nagomi_tui.judge.shown import NEVER, Facts, standing
from nagomi_tui.judge.verdict import BUSY, FIXED, State
from nagomi_tui.orchestrator.judging import session_judge
from nagomi_tui.orchestrator.judging.session_judge import SessionJudge
from nagomi_tui.orchestrator.judging.traces import Traces
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.runtime.timers import Alarms, Clock
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.run import Run
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime, TurnListener
from nagomi_tui.sessions.session import LastTurn
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import LANGUAGES, Words, language_from, of

_AT_WORK: Final = ("running", "thinking")
"""Both as a state and as a phase."""
_SAYS_MORE: Final = (State.ATTENTION, State.FAILURE)
"""States that have more to say than a notice that came before them."""
_TURN_SECONDS: Final = 0.5
_TURNS: Final = 20
"""Turns of a session that are told at once; after these, one each `_TURN_SECONDS`."""


@dataclass(eq=False)
class Outcomes:
    """Handles every change of a judge.

    `judged` holds the active judges, by session.

    `turn_began` hears the number of each new turn, and `listeners` in their order of finished ones.
    """

    judged: Mapping[SessionRuntime, SessionJudge]
    settings: Callable[[], Settings]
    _: KW_ONLY
    phases: Phases
    audience: Audience
    traces: Traces
    alarms: Alarms
    listeners: Sequence[TurnListener]
    turn_began: Callable[[SessionRuntime, int], object] = lambda _session, _turn: None
    clock: Clock = time

    def __post_init__(self) -> None:
        self._misreading = Misreading(self.settings, self.audience, self.traces)
        self._begun: WeakSet[Run] = WeakSet()
        """Runs whose first turn began without a prompt."""

    def changed(self, session: SessionRuntime, change: Change) -> None:
        """Handle a new verdict of a session's judge."""
        judged = self.judged.get(session)
        if judged is None:
            return
        now = judged.changed_at = self.clock.time()
        self.phases.see_if_in_front(session)
        self._misreading.look(session, judged.judge)
        if (trace := self.traces.get(session)) is not None:
            trace.judged(change.after.state, change.after.finding.rule)
        turn, summary = change.after.turn, session_judge.verdict(judged.judge).summary
        if change.after.state not in _SAYS_MORE:
            summary = session.run.notice or summary
        since = session.info.phase_since if _goes_on(session, change) else now
        profile = judged.judge.profile
        is_new = turn > session.info.turn or self._begins_with_its_command(session, change)
        session.change(turn=turn, summary=summary, phase_since=since, judge_profile=profile)
        if is_new:
            self.turn_began(session, turn)
        over = change.completed and _is_told(judged, change)
        if over:
            session.change(last_turn=self._last_turn(session, judged, change))
        self.phases.update(session, told=True)
        if over:
            self.turn_over(session, judged, turn)

    def _begins_with_its_command(self, session: SessionRuntime, change: Change) -> bool:
        """Tell once whether a program is at what its command asked for: for that nothing was typed."""
        if change.after.state not in BUSY or change.after.turn or session.run in self._begun:
            return False
        self._begun.add(session.run)
        return True

    def _last_turn(self, session: SessionRuntime, judged: SessionJudge, change: Change) -> LastTurn:
        began = self._began(session, judged)
        took = None if began is None else judged.changed_at - began
        return LastTurn(
            turn=change.after.turn,
            state=change.after.state,
            summary=session.info.summary,
            duration_ms=None if took is None else round(max(0.0, took) * 1000),
        )

    def _began(self, session: SessionRuntime, judged: SessionJudge) -> float | None:
        """Return when the turn under way began, in seconds since the epoch; None if unknown.

        A command that is one turn in itself began with its session, as does an agent's first turn.
        """
        known = judged.judge.known
        if known.turn.started_at:
            return self.clock.time() - (self.clock.monotonic() - known.turn.started_at)
        is_first = not known.marked and (not known.agent or known.turn.number <= 1)
        return session.info.started_at if is_first else None

    def turn_over(self, session: SessionRuntime, judged: SessionJudge, turn: int) -> None:
        """Tell that turn number `turn` of a session is over, or needs the user, in each language."""
        # More turns at once than anybody can take are one; the judge has gone on by then.
        told = {language: _worded(session, judged, turn, of(language)) for language in LANGUAGES}
        tell = partial(self._call_listeners, session, judged, told)
        self.alarms.limit((session, "turn"), tell, every=_TURN_SECONDS, burst=_TURNS)

    def _call_listeners(
        self,
        session: SessionRuntime,
        judged: SessionJudge,
        told: Mapping[str, messages.TurnCompleted],
    ) -> None:
        done = told[language_from(os.environ, self.settings().language)]
        finished = FinishedTurn(session, told, done, self._began(session, judged))
        for listener in self.listeners:
            listener(finished)

    def reword(self, session: SessionRuntime, judged: SessionJudge) -> None:
        """Word a call or a failure again: signals may come before the screen is drawn; and a mark at work."""
        mark = judged.judge.known.mark
        if mark != judged.marked:
            judged.marked = mark
            summary = session.run.notice or session_judge.verdict(judged.judge).summary
            if judged.judge.shown.state in BUSY and session.change(summary=summary):
                self.audience.publish_soon(session)
        view = judged.judge.known.view
        state = judged.judge.shown.state
        untold = state is State.FAILURE and session.running and session.info.summary in FIXED
        if (state is not State.ATTENTION and not untold) or view is judged.called_for:
            return
        judged.called_for = view
        summary = session_judge.verdict(judged.judge).summary
        if session.info.summary and view and summary.split() == view.title.split():
            # On a screen that is too small for its question, or as that goes, only the title is left.
            return
        if session.change(summary=summary):
            self.audience.publish_soon(session)

    def name(self, session: SessionRuntime, judged: SessionJudge) -> None:
        """Publish by which rules a session is read, since another program may be in the foreground.

        An agent may rest before its process is seen, and no verdict follows then.
        """
        seen = judged.judge.known.foreground
        if seen is judged.last_foreground:
            return
        judged.last_foreground = seen
        if session.change(judge_profile=judged.judge.profile):
            self.audience.publish_soon(session)

    def hide(self, session: SessionRuntime, judged: SessionJudge) -> None:
        """Publish whether a secret is read, so that front ends neither show nor keep what is typed."""
        secret = session.running and judged.reads_secret
        if secret is not session.info.secret:
            session.run.typed_text = ""
            session.change(secret=secret)
            self.audience.publish(session)


def _goes_on(session: SessionRuntime, change: Change) -> bool:
    """Return whether a turn is at work as before: to think in between begins nothing new."""
    same_turn = change.before.turn == change.after.turn
    return same_turn and change.after.state in _AT_WORK and session.info.phase in _AT_WORK


def _is_told(judged: SessionJudge, change: Change) -> bool:
    """Return whether a turn is told: a shell's first prompt, or one after no command, is none."""
    after, finding = change.after, change.after.finding
    if after.state is not State.UNKNOWN:
        return True
    return after.turn > judged.first_turn and finding.confirmed and finding.rule not in NO_TURNS


def _worded(
    session: SessionRuntime, judged: SessionJudge, turn: int, words: Words
) -> messages.TurnCompleted:
    return messages.TurnCompleted(
        session=session.session_id,
        turn=turn,
        at=judged.changed_at,
        verdict=session_judge.verdict(judged.judge, words.say, session.info),
        quiet=session.run.stopped or judged.was_interrupted,
    )


@dataclass(eq=False)
class Phases:
    """Computes phases from the judges' verdicts, users' input, and what users have seen.

    `judged` holds the active judges; `is_seen` tells whether a session is in front of a user.
    """

    judged: Mapping[SessionRuntime, SessionJudge]
    settings: Callable[[], Settings]
    publish_soon: Callable[[SessionRuntime], None]
    alarms: Alarms
    _: KW_ONLY
    is_seen: Callable[[SessionRuntime], bool]
    clock: Clock = time

    def update(self, session: SessionRuntime, *, told: bool = False) -> None:
        """Compute the phase of a session, and publish it if it has changed, or if `told`."""
        judged = self.judged.get(session)
        if session.running and judged is None:
            return
        now = self.clock.time()
        held = standing(_facts(session, judged), now=now, silence=self.settings().silence_timeout)
        if held.phase is not session.info.phase and not told:
            session.change(phase_since=now)
        if session.change(phase=held.phase, waits=held.waits) or told:
            session.note_times()
            self.publish_soon(session)
            session.wake_watchers()
        if held.until is not None:
            delay = max(0.05, held.until - now)
            self.alarms.after(delay, (session, "phase"), partial(self.update, session))

    def see_if_in_front(self, session: SessionRuntime) -> None:
        """Mark a session as seen if it is in front of a user."""
        if self.is_seen(session):
            session.run.seen_at = self.clock.time()

    def forget(self, session: SessionRuntime) -> None:
        """Forget a session that has left the list."""
        self.alarms.cancel((session, "phase"))


def _facts(session: SessionRuntime, judged: SessionJudge | None) -> Facts:
    """Return the facts that the phase follows from."""
    run = session.run
    return Facts(
        state=session.info.state,
        judged=judged.judge.shown.state if judged else run.corrected or State.UNKNOWN,
        since=judged.changed_at if judged else NEVER,
        asks=judged is None or judged.asks,
        speaks=judged is not None and judged.speaks,
        exit_code=session.info.exit_code,
        corrected=judged.is_corrected if judged else run.corrected is not None,
        stopped=run.stopped,
        composed_at=run.composed_at,
        called_at=run.called_at,
        noticed_at=run.noticed_at,
        ended_at=session.info.ended_at,
        seen_at=run.seen_at,
    )


_log = logging.getLogger(__name__)


class Misreading:
    """Notices it where a judge has, keeps it, and begins a trace if the user has agreed to one."""

    def __init__(
        self, settings: Callable[[], Settings], audience: Audience, traces: Traces
    ) -> None:
        self._settings = settings
        self._audience = audience
        self._traces = traces
        self._told: WeakSet[SessionRuntime] = WeakSet()

    def look(self, session: SessionRuntime, judge: Judge) -> None:
        """The judge of a session has changed its mind: see whether it knows that it does not know."""
        mismatch, agent = judge.mismatch, judge.agent
        if mismatch is None or agent is None or session in self._told:
            return
        self._told.add(session)
        version = judge.version
        noted = misread.Misread(
            version=version, mismatch=mismatch, at=time.time(), trace=self._trace(session)
        )
        try:
            misread.keep(agent.name, noted)
        except OSError:
            _log.exception("it cannot be kept that %s is not understood", agent.name)
        self._audience.tell("info", misread.TOLD, agent=misread.title(agent.name, version))

    def _trace(self, session: SessionRuntime) -> str:
        if not self._settings().keep_misread:
            return ""
        try:
            return self._traces.switch(session, "on").path
        except Refusal:
            return ""
