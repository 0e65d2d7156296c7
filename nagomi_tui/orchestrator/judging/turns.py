"""Calls the listeners when a turn is over or needs the user."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_tui.api import messages
from nagomi_tui.judging import telling
from nagomi_tui.orchestrator.sessions.finished_turn import FinishedTurn
from nagomi_tui.words import LANGUAGES, language_from, of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.runtime.clock import Clock
    from nagomi_tui.orchestrator.runtime.throttle import Throttle
    from nagomi_tui.orchestrator.sessions.finished_turn import TurnListener
    from nagomi_tui.orchestrator.sessions.roles import Judgeable
    from nagomi_tui.settings.model import Settings
    from nagomi_tui.words import Words

_TURN_SECONDS: Final = 0.5
_TURNS: Final = 20
"""Turns of a session that are told at once; after these, one each `_TURN_SECONDS`."""


class Turns:
    """Words a finished turn in each language, and calls the listeners in order."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        throttle: Throttle,
        listeners: Sequence[TurnListener],
        clock: Clock = time,
    ) -> None:
        self._settings = settings
        self._throttle = throttle
        self._listeners = listeners
        self._clock = clock

    def over(self, session: Judgeable, judged: Judged, turn: int) -> None:
        """Tell that turn number `turn` of a session is over, or needs the user."""
        # More turns at once than anybody can take are one; the judge has gone on by then.
        told = {language: _worded(session, judged, turn, of(language)) for language in LANGUAGES}
        tell = partial(self._tell, session, judged, told)
        self._throttle.call((session, "turn"), tell, every=_TURN_SECONDS, burst=_TURNS)

    def _tell(
        self, session: Judgeable, judged: Judged, told: Mapping[str, messages.TurnCompleted]
    ) -> None:
        done = told[language_from(os.environ, self._settings().language)]
        finished = FinishedTurn(session, told, done, self.began(session, judged))
        for listener in self._listeners:
            listener(finished)

    def began(self, session: Judgeable, judged: Judged) -> float | None:
        """Return when the turn under way began, in seconds since the epoch; None if unknown.

        A command that is one turn in itself began with its session, as does an agent's first turn.
        """
        known = judged.judge.known
        if known.turn.started_at:
            return self._clock.time() - (self._clock.monotonic() - known.turn.started_at)
        is_first = not known.marked and (not known.agent or known.turn.number <= 1)
        return session.info.started_at if is_first else None


def _worded(session: Judgeable, judged: Judged, turn: int, words: Words) -> messages.TurnCompleted:
    return messages.TurnCompleted(
        session=session.session_id,
        turn=turn,
        at=judged.changed_at,
        verdict=telling.verdict(judged.judge, words.say, session.info),
        quiet=session.run.stopped or judged.was_interrupted,
    )
