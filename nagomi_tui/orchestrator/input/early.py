"""Keeps what users type into a session that is being started, or whose terminal is being rebuilt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.session.session import has_ended
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.roles import Typable

LOOK_SECONDS: Final = 0.02
KEPT_SECONDS: Final = 20.0
"""A terminal that is not there again after so long is not waited for."""


class EarlyInput:
    """Makes calls in their order, for each session once its worker and its modes are known.

    A front end finds a new orchestrator before that has found the workers, and goes on typing.
    """

    def __init__(
        self, after: Callable[[float, Hashable, Callable[[], None]], None], tell: Tell
    ) -> None:
        """`after` makes a call later, as that of alarms does."""
        self._after = after
        self._tell = tell
        self._kept: dict[Typable, list[Callable[[], None]]] = {}

    def call(self, session: Typable, send: Callable[[], None]) -> None:
        """Call `send` now, or when the session runs and its terminal has been rebuilt."""
        if session in self._kept:
            self._kept[session].append(send)
        elif _is_early(session):
            self._kept[session] = [send]
            self._look(session, KEPT_SECONDS)
        else:
            send()

    def _look(self, session: Typable, left: float) -> None:
        if left > 0 and _is_early(session):
            self._after(
                LOOK_SECONDS, (session, "early"), lambda: self._look(session, left - LOOK_SECONDS)
            )
            return
        kept = self._kept.pop(session)
        if _is_early(session):
            sentence = translatable("{name} is not there again yet; what was typed was not sent.")
            self._tell("error", sentence, name=session.info.name)
            return
        for send in kept:
            send()


def _is_early(session: Typable) -> bool:
    """Tell whether the session is being started, or was not taken over from its worker yet."""
    info = session.info
    lives = not has_ended(info) and info.away_since is None
    return lives and not session.run.rebuilt.is_set()
