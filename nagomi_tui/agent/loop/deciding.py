"""Decides whether the model is asked now: while nothing changes, nothing is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.agent.common.values import Clock
    from nagomi_tui.agent.loop.budget import Budget
    from nagomi_tui.agent.loop.record import KeptRecord, LoopRecord
    from nagomi_tui.agent.modes.modes import Modes

Rest: TypeAlias = Literal["calm", "consent", "unchanged", "pause", "budget"]
"""Why nothing is asked: the mode; the user has not agreed; nothing is new; the last request was
just now or failed; the hour's budget is spent."""

PAUSE: Final = 60.0
"""Seconds between two requests."""
FAILED_PAUSE: Final = 300.0
"""Seconds after a request that failed, if the server names no others; twice as many each time."""
MOST_PAUSE: Final = 3600.0


class Decision(msgspec.Struct, frozen=True):
    """Ask, or rest; `again` is when to check again without an event, None if only an event helps."""

    rest: Rest | None = None
    again: float | None = None


def decided(
    record: LoopRecord, seen: str, *, runs: bool, consent: bool, budget: Budget, now: float
) -> Decision:
    """Decide whether to ask about what is seen."""
    if not runs:
        return Decision("calm")
    if not consent:
        return Decision("consent")
    if seen == record.asked_of:
        return Decision("unchanged")
    if now < record.not_before <= now + MOST_PAUSE:
        return Decision("pause", record.not_before)
    free = record.spent.free_at(budget, now)
    return Decision() if free == now else Decision("budget", free)


def pause_after(failures: int, retry_after: float | None) -> float:
    """Return the seconds to wait after `failures` in a row; an hour at most."""
    if not failures:
        return PAUSE
    doubled = FAILED_PAUSE * (1 << min(failures - 1, 10))
    return min(MOST_PAUSE, max(doubled, retry_after or 0.0))


class Deciding:
    """Decides by the mode, the user's consent and the budget, each as it is at the moment."""

    def __init__(
        self,
        kept: KeptRecord,
        modes: Modes,
        *,
        consent: Callable[[], bool],
        budget: Callable[[], Budget],
        now: Clock,
    ) -> None:
        self._kept = kept
        self._modes = modes
        self._consent = consent
        """Tells whether the user has agreed that a model is asked."""
        self._budget = budget
        self._now = now

    def rest(self) -> Rest | None:
        """Return why the workplace is not even looked at; None if it is."""
        if not self._modes.allowed.loop_runs:
            return "calm"
        return None if self._consent() else "consent"

    def decide(self, seen: str) -> Decision:
        """Decide about a request on what is seen, a digest of how everything stands."""
        return decided(
            self._kept.record,
            seen,
            runs=self._modes.allowed.loop_runs,
            consent=self._consent(),
            budget=self._budget(),
            now=self._now(),
        )
