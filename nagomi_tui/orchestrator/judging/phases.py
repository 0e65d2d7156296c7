"""Keeps each session's phase, publishes it when it changes, and checks it when it may."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from nagomi_tui.core.judge.phase import NEVER, Facts, standing
from nagomi_tui.core.judge.verdict import State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.runtime.clock import Clock
    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Listed, Named
    from nagomi_tui.settings.model import Settings


class Phases:
    """Computes phases from the judges' verdicts, users' input, and what users have seen."""

    def __init__(
        self,
        judged: Mapping[Named, Judged],
        settings: Callable[[], Settings],
        publish_soon: Callable[[Listed], None],
        alarms: Alarms,
        *,
        is_seen: Callable[[Named], bool],
        clock: Clock = time,
    ) -> None:
        """`judged` holds the active judges; `is_seen` tells whether a session is in front of a user."""
        self._judged = judged
        self._settings = settings
        self._publish_soon = publish_soon
        self._alarms = alarms
        self._is_seen = is_seen
        self._clock = clock

    def update(self, session: Judgeable, *, told: bool = False) -> None:
        """Compute the phase of a session, and publish it if it has changed, or if `told`."""
        judged = self._judged.get(session)
        if session.running and judged is None:
            return
        now = self._clock.time()
        held = standing(_facts(session, judged), now=now, silence=self._settings().silence_timeout)
        if held.phase is not session.info.phase and not told:
            session.change(phase_since=now)
        if session.change(phase=held.phase, waits=held.waits) or told:
            session.change(
                last_output_at=session.run.output_at or None, last_input_at=session.run.typed_at
            )
            self._publish_soon(session)
            session.wake_watchers()
        if held.until is not None:
            delay = max(0.05, held.until - now)
            self._alarms.after(delay, (session, "phase"), partial(self.update, session))

    def see_if_in_front(self, session: Judgeable) -> None:
        """Mark a session as seen if it is in front of a user."""
        if self._is_seen(session):
            session.run.seen_at = self._clock.time()

    def forget(self, session: Named) -> None:
        """Forget a session that has left the list."""
        self._alarms.cancel((session, "phase"))


def _facts(session: Judgeable, judged: Judged | None) -> Facts:
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
