"""The judges of all sessions: passes evidence and time on to them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from nagomi_tui.judge import patterns
from nagomi_tui.judge.evidence import Corrected, Key, Source, Turn
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.screen_rules import ANY
from nagomi_tui.judge.senses.processes import key_of
from nagomi_tui.judge.shown import NEVER
from nagomi_tui.judge.verdict import BUSY, State
from nagomi_tui.orchestrator.history.reviews import TurnTrees
from nagomi_tui.orchestrator.judging import corrections
from nagomi_tui.orchestrator.judging.outcomes import Outcomes, Phases
from nagomi_tui.orchestrator.judging.session_judge import Rules, SessionJudge
from nagomi_tui.orchestrator.judging.traces import Traces
from nagomi_tui.orchestrator.runtime.timers import Alarms, Clock
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.orchestrator.sessions.session import SessionRuntime, TurnListener, moved_time
from nagomi_tui.sessions.places import plainly
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import paths
from nagomi_tui.terminal.cuts import Piece
from nagomi_tui.text.rows import ScreenEvent

_log = logging.getLogger(__name__)
_CROWD: Final = 17
"""Sessions of which some worker may hold so many that it rests between reads."""
_SAME_TURN: Final = BUSY | {State.ATTENTION}
"""States in which Enter answers or is kept for later, and begins no turn."""
_ECHO_SECONDS: Final = 0.005
"""Seconds after which typed text is judged: a program has mostly echoed it by then."""


class Judges:
    """Begins a judge for each session, and hands evidence and time on to it.

    A fault of a judge ends that judge only: the session runs on without it.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        audience: Audience,
        alarms: Alarms,
        *,
        trees: TurnTrees,
        listeners: Sequence[TurnListener],
        show_phase: Callable[[SessionRuntime], None],
        clock: Clock = time,
    ) -> None:
        """`listeners` hear of finished turns, in their order; `show_phase` shows that of a session.

        `trees` keep the files of an agent as they are when a turn of it begins.
        """
        self.active: dict[SessionRuntime, SessionJudge] = {}
        """The active judges, by session."""
        self.traces = Traces(alarms, audience.tell)
        self._trees = trees
        self.phases = Phases(
            self.active, settings, show_phase, alarms, is_seen=audience.sees, clock=clock
        )
        self.rules = Rules(self.active, settings, audience)
        self._outcomes = Outcomes(
            self.active, settings, phases=self.phases, audience=audience, alarms=alarms,
            traces=self.traces, listeners=listeners, turn_began=self._trees.turn_began, clock=clock,
        )  # fmt: skip
        self._alarms = alarms
        self._clock = clock

    # --- beginnings

    @property
    def profiles(self) -> tuple[str, ...]:
        """Names of the profiles that a session can be judged by."""
        return tuple(one.name for one in self.rules.book.manifests if one.name != ANY)

    def begin(self, session: SessionRuntime, screen: Screen) -> None:
        """Begin a judge for a new command, which is a turn in itself unless it is a shell or agent."""
        judge = self._judge(session)
        known = judge.known
        itself = not (known.shell or known.agent)
        known.turn = Turn(number=session.info.turn + itself)
        judged = self.active[session] = SessionJudge(
            judge, screen, partial(self._outcomes.changed, session)
        )
        judged.first_turn = session.info.turn
        judged.changed_at = self._clock.time()
        session.change(turn=known.turn.number, summary="", judge_profile=judge.profile)
        self._tell(session, lambda judged, now: judged.look(now))
        self.phases.update(session)

    def resume(
        self, session: SessionRuntime, screen: Screen, marks: Sequence[ScreenEvent] = ()
    ) -> None:
        """Begin a judge for a rebuilt session, in the state of its record, without calling again.

        `marks` are the last ones of its shell: a command that was at work may have ended meanwhile.
        """
        now, remembered = self._clock.monotonic(), session.info
        judge = self._judge(session)
        judged = SessionJudge(judge, screen, partial(self._outcomes.changed, session))
        state = State.of(remembered.phase)
        at_work = session.running and state in (State.RUNNING, State.THINKING)
        judge.known.turn = Turn(number=remembered.turn)
        if at_work and remembered.phase_since is not None:
            took = max(0.0, self._clock.time() - remembered.phase_since)
            judge.known.turn = Turn(number=remembered.turn, started_at=now - took)
        judged.first_turn = remembered.turn - 1
        with self._guard(session):
            if (said := corrections.said_of(paths.corrections_file(), session.info)) is not None:
                judge.known.take(Corrected(now, said))
            if session.running:
                asked = state is State.ATTENTION
                judged.resume(now, _since_begun(marks) if at_work else (), asked=asked)
                if at_work and judge.known.shell:
                    judge.known.turn = judge.known.turn.ran(now)
                judge.recall(state, at=now)
            else:
                judged.look(now)
                if session.run.stopped:
                    judged.stopped(now)
                ago = self._clock.time() - (remembered.ended_at or self._clock.time())
                judged.ended(remembered.exit_code or 0, remembered.signal, now - max(0.0, ago))
            self.active[session] = judged
            judged.changed_at = remembered.phase_since or NEVER
            self._arm(session, judged)
        self.phases.update(session)

    def _judge(self, session: SessionRuntime) -> Judge:
        profile = self.rules.book.named(session.info.agent) if session.info.agent else None
        command = profile.commands[0] if profile and profile.commands else plainly(session.info.cmd)
        return Judge(command, self.rules.book, at=self._clock.monotonic())

    # --- evidence

    def hear(self, session: SessionRuntime, piece: Piece, events: Sequence[ScreenEvent]) -> None:
        """Hear what a session's terminal shows, and its events.

        `settle` is to follow once the frame for waiting views was sent.
        """
        if (judged := self.active.get(session)) is not None:
            try:
                judged.hear(piece, events, self._clock.monotonic(), self._rest(session))
            except Exception:
                self._give_up(session)

    def _rest(self, session: SessionRuntime) -> float:
        """Return for how many seconds its worker may not have read it: only where there are many."""
        return (session.run.rest_seconds or 0.0) if len(self.active) >= _CROWD else 0.0

    def settle(self, session: SessionRuntime, data: bytes, events: Sequence[ScreenEvent]) -> None:
        """Judge what a session has printed, if it is time to; with the whole data and events."""
        if (judged := self.active.get(session)) is not None:
            with self._guard(session):
                if judged.settle(self._clock.monotonic()):
                    self._arm(session, judged)
                self._outcomes.name(session, judged)
                self._outcomes.hide(session, judged)
        self.traces.record(session, data, events)

    def leave_out(self, session: SessionRuntime, data: bytes) -> None:
        """Record output that is judged by what follows it."""
        self.traces.record(session, data, ())

    def activity(self, session: SessionRuntime, detail: str) -> None:
        """Handle a worker's report on the processes of a session."""
        if (trace := self.traces.get(session)) is not None:
            trace.activity(detail)
        self._tell(session, lambda judged, now: judged.activity(detail, now))

    def is_unmarked_shell(self, session: SessionRuntime) -> bool:
        """Return whether a session's command is a shell that does not mark its prompts."""
        judged = self.active.get(session)
        known = judged.judge.known if judged is not None else None
        return known is not None and known.shell and Source.SHELL not in known.sources

    def hook(self, session: SessionRuntime, payload: Mapping[str, Any], at: float) -> None:
        """Handle an agent's hook in a session; `at` is in seconds since the epoch."""
        ago = max(0.0, self._clock.time() - at)
        if (trace := self.traces.get(session)) is not None:
            trace.hook(payload)
        self._tell(session, lambda judged, now: judged.hook(payload, now - ago))
        judged = self.active.get(session)
        if judged is not None and payload.get("hook_event_name") == "UserPromptSubmit":
            # Where the turn before has ended only now, no verdict tells of the new one.
            self._outcomes.turn_began(session, judged.judge.known.turn.number)

    def typed(self, session: SessionRuntime, text: str) -> None:
        """Handle what the user typed; mere text is judged once its echo is painted."""
        if (trace := self.traces.get(session)) is not None:
            trace.typed(text)
        key = key_of(text)
        session.run.composed_at = self._clock.time() if key is Key.TEXT else None
        judged = self.active.get(session)
        if key is Key.ENTER and judged is not None and judged.judge.shown.state not in _SAME_TURN:
            # An agent may write its first file before its screen shows that it is at work.
            self._trees.entered(session)
        if key is Key.TEXT and judged is not None and session.run.replay is None:
            judged.typed(key, self._clock.monotonic(), len(text))
            if not self._alarms.pending((session, "typed")):
                self._alarms.after(_ECHO_SECONDS, (session, "typed"), partial(self._heed, session))
        else:
            self._tell(session, lambda judged, now: judged.typed(key, now))
            self.phases.update(session)

    def composing(self, session: SessionRuntime) -> None:
        """Note that the user writes a text for a session in a prompt."""
        session.run.composed_at = self._clock.time()
        self.phases.update(session)

    def _heed(self, session: SessionRuntime) -> None:
        """Judge what was typed a moment ago."""
        self._tell(session, lambda judged, _now: judged.catch_up())
        self.phases.update(session)

    def correct(self, session: SessionRuntime, state: State) -> None:
        """Handle the user's correction of a session's state."""
        self._tell(session, lambda judged, now: judged.correct(state, now))

    def keep_failure(self, session: SessionRuntime) -> None:
        """Let a failure stand: what is typed next was asked for by nobody."""
        if (judged := self.active.get(session)) is not None:
            judged.judge.keep_failure()

    def stopped(self, session: SessionRuntime) -> None:
        """Note that a user ends a session."""
        self._tell(session, lambda judged, now: judged.stopped(now))

    def ended(self, session: SessionRuntime, code: int, signal: int | None) -> None:
        """Handle the end of a session's command."""
        self._tell(session, lambda judged, now: judged.ended(code, signal, now))
        judged = self.active.get(session)
        if judged is not None and judged.was_broken_off:
            session.run.stopped = True
        if (trace := self.traces.get(session)) is not None:
            trace.ended(code)
            self.traces.end(session)

    def _tell(self, session: SessionRuntime, tell: Callable[[SessionJudge, float], None]) -> None:
        judged = self.active.get(session)
        if judged is None or session.run.replay is not None:
            return
        with self._guard(session):
            tell(judged, self._clock.monotonic())
            self._settle(session, judged)

    def move_times(self, seconds: float) -> None:
        """Have the times of day of all verdicts go along with a clock that was set."""
        for judged in self.active.values():
            if judged.changed_at != NEVER:
                judged.changed_at = moved_time(judged.changed_at, seconds)

    def _settle(self, session: SessionRuntime, judged: SessionJudge) -> None:
        """Do what follows whenever a judge has heard something, or time has passed."""
        self._arm(session, judged)
        self._outcomes.reword(session, judged)
        self._outcomes.name(session, judged)
        self._outcomes.hide(session, judged)

    # --- time

    def _arm(self, session: SessionRuntime, judged: SessionJudge) -> None:
        """Schedule `pass_time` for when it may change something."""
        wake = judged.wake_at
        if wake >= judged.rings_at:
            return
        judged.rings_at = wake
        delay = max(0.0, wake - self._clock.monotonic())
        self._alarms.after(delay, (session, "judge"), partial(self._ring, session, judged))

    def _ring(self, session: SessionRuntime, judged: SessionJudge) -> None:
        judged.rings_at = float("inf")
        if self.active.get(session) is not judged or session.run.replay is not None:
            return
        with self._guard(session):
            judged.pass_time(self._clock.monotonic())
            self._settle(session, judged)

    # --- ends

    def drop(self, session: SessionRuntime) -> None:
        """Drop a session's judge, since its terminal begins anew."""
        self.active.pop(session, None)

    def cease(self, session: SessionRuntime) -> None:
        """Drop judge and trace of a session whose terminal is about to be freed."""
        self.traces.end(session)
        self.drop(session)

    def forget(self, session: SessionRuntime) -> None:
        """Forget a session that has left the list."""
        self.cease(session)
        self.phases.forget(session)
        for what in ("judge", "typed"):
            self._alarms.cancel((session, what))

    @contextmanager
    def _guard(self, session: SessionRuntime) -> Iterator[None]:
        try:
            yield
        except Exception:
            self._give_up(session)
        for pattern in patterns.take_given_up():
            self.rules.given_up(pattern)

    def _give_up(self, session: SessionRuntime) -> None:
        _log.exception("the judge of session %s has a fault; it judges no more", session.session_id)
        self.drop(session)


def _since_begun(marks: Sequence[ScreenEvent]) -> list[ScreenEvent]:
    """Return the marks after the one by which the last command began."""
    found: list[ScreenEvent] = []
    for mark in marks:
        found = [] if mark.text.startswith("C") else [*found, mark]
    return found
