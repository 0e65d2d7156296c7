"""The judges of all sessions: what happens reaches them, and time passes for them when it is to."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui import paths
from nagomi_tui.core.judge import patterns
from nagomi_tui.core.judge.evidence import Corrected, Key
from nagomi_tui.core.judge.judge import Judge
from nagomi_tui.core.judge.phase import NEVER
from nagomi_tui.core.judge.turn import Turn
from nagomi_tui.core.judge.verdict import State, state_of
from nagomi_tui.judging.keys import key_of
from nagomi_tui.orchestrator.judging import corrections
from nagomi_tui.orchestrator.judging.judged import Judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nagomi_tui.core.text.screen import ScreenEvent
    from nagomi_tui.orchestrator.judging.outcomes import Outcomes
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.judging.rules import Rules
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.runtime.clock import Clock
    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Named
    from nagomi_tui.orchestrator.terminals.screens import Screen

_log = logging.getLogger(__name__)
_ECHO_SECONDS: Final = 0.005
"""Typed text is judged so much later: a program has mostly echoed it by then."""


class Judges:
    """Begins a judge for each session, and hands evidence and time on to it.

    A fault of a judge ends that judge only: the session runs on without it.
    """

    def __init__(
        self,
        judged: dict[Named, Judged],
        rules: Rules,
        outcomes: Outcomes,
        *,
        phases: Phases,
        alarms: Alarms,
        traces: Traces,
        clock: Clock = time,
    ) -> None:
        """`judged` is filled here: the judges that have begun, by their sessions."""
        self._judged = judged
        self._rules = rules
        self._outcomes = outcomes
        self._phases = phases
        self._alarms = alarms
        self._traces = traces
        self._clock = clock

    # --- beginnings

    def begin(self, session: Judgeable, screen: Screen) -> None:
        """A command begins; of a program that is no shell or agent, it is a turn by itself."""
        judge = self._judge(session)
        known = judge.known
        itself = not (known.shell or known.agent)
        known.turn = Turn(number=session.info.turn + itself)
        judged = self._judged[session] = Judged(
            judge, screen, partial(self._outcomes.changed, session)
        )
        judged.first_turn = session.info.turn
        judged.changed_at = self._clock.time()
        session.change(turn=known.turn.number, summary="")
        self._tell(session, lambda judged, now: judged.look(now))
        self._phases.update(session)

    def resume(self, session: Judgeable, screen: Screen) -> None:
        """A session was rebuilt: go on from what its record says, without calling again."""
        now, remembered = self._clock.monotonic(), session.info
        judge = self._judge(session)
        judged = Judged(judge, screen, partial(self._outcomes.changed, session))
        judge.known.turn = Turn(number=remembered.turn)
        judged.first_turn = remembered.turn - 1
        with self._guard(session):
            if (said := corrections.said_of(paths.corrections_file(), session.info)) is not None:
                judge.known.take(Corrected(now, said))
            if session.running:
                judged.resume(now)
                judge.recall(state_of(remembered.phase), at=now)
            else:
                judged.look(now)
                judged.ended(remembered.exit_code or 0, remembered.signal, now)
            self._judged[session] = judged
            judged.changed_at = remembered.phase_since or NEVER
            self._arm(session, judged)
        self._phases.update(session)

    def _judge(self, session: Judgeable) -> Judge:
        profile = self._rules.book.named(session.info.agent) if session.info.agent else None
        command = profile.commands[0] if profile and profile.commands else session.info.cmd
        return Judge(command, self._rules.book, at=self._clock.monotonic())

    # --- evidence

    def feed(
        self, session: Judgeable, screen: Screen, data: bytes
    ) -> tuple[bytes, list[ScreenEvent]]:
        """Feed a session's terminal; return its answers, and what was said beside the drawing.

        `settle` is to follow when the terminal's picture is on its way to whoever waits for it.
        """
        judged = self._judged.get(session)
        if judged is None:
            return screen.feed(data)
        with self._guard(session):
            judged.feed(data, self._clock.monotonic())
        return judged.take()

    def settle(self, session: Judgeable, data: bytes, events: Sequence[ScreenEvent]) -> None:
        """Look at what a session has printed, if it is time to; these are what `feed` fed, and gave."""
        if (judged := self._judged.get(session)) is not None:
            with self._guard(session):
                if judged.settle(self._clock.monotonic()):
                    self._arm(session, judged)
                self._outcomes.hide(session, judged)
        self._traces.record(session, data, events)

    def activity(self, session: Judgeable, detail: str) -> None:
        """The worker has looked at the processes of a session."""
        if (trace := self._traces.get(session)) is not None:
            trace.activity(detail)
        self._tell(session, lambda judged, now: judged.activity(detail, now))

    def hook(self, session: Judgeable, payload: Mapping[str, Any], at: float) -> None:
        """An agent's hook was called in a session; `at` is in seconds since the epoch."""
        ago = max(0.0, self._clock.time() - at)
        if (trace := self._traces.get(session)) is not None:
            trace.hook(payload)
        self._tell(session, lambda judged, now: judged.hook(payload, now - ago))

    def typed(self, session: Judgeable, text: str) -> None:
        """The user has typed into a session; mere text is judged when its echo is painted."""
        if (trace := self._traces.get(session)) is not None:
            trace.typed(text)
        key = key_of(text)
        session.run.composed_at = self._clock.time() if key is Key.TEXT else None
        judged = self._judged.get(session)
        if key is Key.TEXT and judged is not None and session.run.replay is None:
            judged.typed(key, self._clock.monotonic())
            if not self._alarms.pending((session, "typed")):
                self._alarms.after(_ECHO_SECONDS, (session, "typed"), partial(self._heed, session))
        else:
            self._tell(session, lambda judged, now: judged.typed(key, now))
            self._phases.update(session)

    def _heed(self, session: Judgeable) -> None:
        """Judge what was typed a moment ago."""
        self._tell(session, lambda judged, _now: judged.catch_up())
        self._phases.update(session)

    def correct(self, session: Judgeable, state: State) -> None:
        """The user says how a session stands."""
        self._tell(session, lambda judged, now: judged.correct(state, now))

    def stopped(self, session: Judgeable) -> None:
        """We end a session because somebody asked."""
        self._tell(session, lambda judged, now: judged.stopped(now))

    def ended(self, session: Judgeable, code: int, signal: int | None) -> None:
        """The command of a session has ended."""
        self._tell(session, lambda judged, now: judged.ended(code, signal, now))
        if (trace := self._traces.get(session)) is not None:
            trace.ended(code)
            self._traces.end(session)

    def _tell(self, session: Judgeable, tell: Callable[[Judged, float], None]) -> None:
        judged = self._judged.get(session)
        if judged is None or session.run.replay is not None:
            return
        with self._guard(session):
            tell(judged, self._clock.monotonic())
            self._arm(session, judged)
            self._outcomes.reword(session, judged)
            self._outcomes.hide(session, judged)

    # --- time

    def _arm(self, session: Judgeable, judged: Judged) -> None:
        """Have time pass for a judge when it may bring something; at rest it sleeps."""
        wake = judged.wake_at
        if wake >= judged.rings_at:
            return
        judged.rings_at = wake
        delay = max(0.0, wake - self._clock.monotonic())
        self._alarms.after(delay, (session, "judge"), partial(self._ring, session, judged))

    def _ring(self, session: Judgeable, judged: Judged) -> None:
        judged.rings_at = float("inf")
        if self._judged.get(session) is not judged or session.run.replay is not None:
            return
        with self._guard(session):
            judged.pass_time(self._clock.monotonic())
            self._arm(session, judged)
            self._outcomes.reword(session, judged)
            self._outcomes.hide(session, judged)

    # --- ends

    def drop(self, session: Judgeable) -> None:
        """A session's terminal begins anew, and its judge with it."""
        self._judged.pop(session, None)

    def cease(self, session: Judgeable) -> None:
        """A session's terminal is about to go for good."""
        self._traces.end(session)
        self.drop(session)

    def forget(self, session: Judgeable) -> None:
        """A session is off the list: nothing of it is looked at any more."""
        self.cease(session)
        self._phases.forget(session)
        for what in ("judge", "typed"):
            self._alarms.cancel((session, what))

    @contextmanager
    def _guard(self, session: Judgeable) -> Iterator[None]:
        try:
            yield
        except Exception:
            _log.exception(
                "the judge of session %s has a fault; it judges no more", session.session_id
            )
            self.drop(session)
        for pattern in patterns.take_given_up():
            self._rules.given_up(pattern)
