"""The judges of all sessions: who is told what of whom, and when time is to pass for them."""

from __future__ import annotations

import logging
import sqlite3
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread
import msgspec

from nagomi_tui import deadline_thread, paths
from nagomi_tui.core.judge import patterns
from nagomi_tui.core.judge.evidence import Corrected, Key
from nagomi_tui.core.judge.finding import Rulebook
from nagomi_tui.core.judge.judge import Judge
from nagomi_tui.core.judge.lines import Profile
from nagomi_tui.core.judge.phase import NEVER
from nagomi_tui.core.judge.program import NO_TURNS
from nagomi_tui.core.judge.turn import Turn
from nagomi_tui.core.judge.verdict import State, state_of
from nagomi_tui.judging import manifests, telling
from nagomi_tui.judging.keys import key_of
from nagomi_tui.orchestrator.judging import corrections
from nagomi_tui.orchestrator.judging.judged import Judged
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nagomi_tui.core.judge.judge import Change
    from nagomi_tui.core.text.screen import ScreenEvent
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.judging.turns import Turns
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.runtime.clock import Clock
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Named
    from nagomi_tui.orchestrator.terminals.screens import Screen
    from nagomi_tui.settings.model import Settings

_log = logging.getLogger(__name__)
_LOAD_SECONDS: Final = 10.0
_ECHO_SECONDS: Final = 0.005
"""Typed text is judged so much later: a program has mostly echoed it by then."""


class Judges:
    """Begins a judge for each session, hands evidence on, and tells what it brought.

    A fault of a judge ends that judge only: the session runs on without it.
    """

    def __init__(
        self,
        judged: dict[Named, Judged],
        phases: Phases,
        turns: Turns,
        *,
        settings: Callable[[], Settings],
        tell: Tell,
        publisher: Publisher,
        alarms: Alarms,
        traces: Traces,
        clock: Clock = time,
    ) -> None:
        """`judged` is filled here: the judges that have begun, by their sessions."""
        self._judged = judged
        self._phases = phases
        self._turns = turns
        self._settings = settings
        self._tell_user = tell
        self._publisher = publisher
        self._alarms = alarms
        self._traces = traces
        self._clock = clock
        self.book = Rulebook(Profile())

    async def load(self) -> None:
        """Load the rules, and tell what was left out: all of a user's that do not answer."""
        try:
            loaded = await deadline_thread.run(manifests.load, seconds=_LOAD_SECONDS)
        except TimeoutError:
            sentence = translatable(
                "{path} does not answer, so only the shipped rules of the judge are used."
            )
            self._tell_user("error", sentence, path=paths.config_folder())
            loaded = await anyio.to_thread.run_sync(manifests.load, paths.shipped("config"))
        self.book = loaded.book
        self.apply(self._settings())
        for problem in loaded.problems:
            self._tell_user("error", "{problem}", problem=problem)

    def apply(self, settings: Settings) -> None:
        """Judge by these settings from now on."""
        profile = msgspec.structs.replace(
            self.book.profile, silence_seconds=settings.silence_timeout
        )
        self.book = msgspec.structs.replace(self.book, profile=profile)
        for judged in self._judged.values():
            judged.judge.book = self.book

    # --- beginnings

    def begin(self, session: Judgeable, screen: Screen) -> None:
        """A command begins; of a program that is no shell or agent, it is a turn by itself."""
        judge = self._judge(session)
        known = judge.known
        itself = not (known.shell or known.agent)
        known.turn = Turn(number=session.info.turn + itself)
        judged = self._judged[session] = Judged(judge, screen, partial(self._changed, session))
        judged.first_turn = session.info.turn
        judged.changed_at = self._clock.time()
        session.change(turn=known.turn.number, summary="")
        self._tell(session, lambda judged, now: judged.look(now))
        self._phases.update(session)

    def resume(self, session: Judgeable, screen: Screen) -> None:
        """A session was rebuilt: go on from what its record says, without calling again."""
        now, remembered = self._clock.monotonic(), session.info
        judge = self._judge(session)
        judged = Judged(judge, screen, partial(self._changed, session))
        judge.known.turn = Turn(number=remembered.turn)
        judged.first_turn = remembered.turn - 1
        with self._guard(session):
            if (said := _said(session)) is not None:
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
        profile = self.book.named(session.info.agent) if session.info.agent else None
        command = profile.commands[0] if profile and profile.commands else session.info.cmd
        return Judge(command, self.book, at=self._clock.monotonic())

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
                self._hide(session, judged)
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
            self._reword(session, judged)
            self._hide(session, judged)

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
            self._reword(session, judged)
            self._hide(session, judged)

    # --- what it brings

    def _changed(self, session: Judgeable, change: Change) -> None:
        judged = self._judged.get(session)
        if judged is None:
            return
        now = judged.changed_at = self._clock.time()
        self._phases.see_if_focused(session)
        if (trace := self._traces.get(session)) is not None:
            trace.judged(change.after.state, change.after.finding.rule)
        turn, summary = change.after.turn, telling.verdict(judged.judge).summary
        session.change(turn=turn, summary=summary, phase_since=now)
        self._phases.update(session, told=True)
        if change.completed and _is_told(judged, change):
            self._turns.over(session, judged, turn)

    def _reword(self, session: Judgeable, judged: Judged) -> None:
        """Say anew what calls: signals may come before the dialog is drawn."""
        view = judged.judge.known.view
        if judged.judge.shown.state is not State.ATTENTION or view is judged.worded:
            return
        judged.worded = view
        if session.change(summary=telling.verdict(judged.judge).summary):
            self._publisher.publish_soon(session)

    def _hide(self, session: Judgeable, judged: Judged) -> None:
        """Tell everybody whether a secret is read: whoever types it must not show or keep it."""
        secret = session.running and judged.reads_secret
        if secret is not session.info.secret:
            session.run.typed_text = ""
            session.change(secret=secret)
            self._publisher.publish(session)

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
            sentence = translatable(
                "A rule of yours takes too long and is not used any more: {pattern}"
            )
            self._tell_user("error", sentence, pattern=pattern)


def _said(session: Judgeable) -> State | None:
    """Return how the user has corrected the turn that a session stands in."""
    try:
        found = corrections.latest(paths.corrections_file(), session.session_id)
    except (sqlite3.Error, msgspec.DecodeError):
        _log.exception("the corrections cannot be read")
        return None
    if (
        found is None
        or found.turn != session.info.turn
        or found.at < (session.info.ended_at or 0.0)
    ):
        return None
    return found.right


def _is_told(judged: Judged, change: Change) -> bool:
    """A shell that shows its first prompt, or another one after nothing, has ended no turn."""
    after, finding = change.after, change.after.finding
    if after.state is not State.UNKNOWN:
        return True
    return after.turn > judged.first_turn and finding.confirmed and finding.rule not in NO_TURNS
