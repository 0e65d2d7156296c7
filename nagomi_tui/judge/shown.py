"""The phase that a session shows, from the judge's state and what the user did and has seen."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.judge import verdict
from nagomi_tui.sessions.session import Condition, State

NEVER: Final = float("-inf")


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one session; times are in seconds of one clock."""

    state: State
    judged: verdict.State = verdict.State.UNKNOWN
    """The judge's state, while the command runs."""
    since: float = NEVER
    asks: bool = True
    """In the state attention: the program asks, and its output is not just suspicious."""
    speaks: bool = False
    """The program reports its status by other means than the bell, as agents do."""
    exit_code: int | None = None
    corrected: bool = False
    """The user has corrected the state, in this turn or after the end."""
    stopped: bool = False
    """A user has ended it: by nagomi, or by Ctrl-C."""
    composed_at: float | None = None
    """When something was last typed without Enter behind it; None if nothing was."""
    called_at: float | None = None
    """When it last rang the bell; None if never."""
    noticed_at: float | None = None
    """When it last sent a notice, whose text tells what for; None if never."""
    ended_at: float | None = None
    seen_at: float = NEVER
    """When the user last looked at it."""


class PhaseState(msgspec.Struct, frozen=True):
    """The phase, whether the session waits for the user, and when to compute it again."""

    phase: Condition
    waits: bool = False
    until: float | None = None


def standing(facts: Facts, *, now: float, silence: float) -> PhaseState:
    """Return the first phase by priority that holds (N-45); `silence` is in seconds."""
    if facts.state in (State.EXITED, State.LOST):
        return _ended(facts)
    if facts.state is State.SAVED:
        return PhaseState(Condition.IDLE)
    if facts.judged is verdict.State.ATTENTION:
        return _calling(facts)
    if _rang(facts):
        return PhaseState(Condition.ATTENTION, waits=True)
    if facts.judged in verdict.BUSY:
        return PhaseState(facts.judged.condition, waits=_noticed(facts))
    resting = _resting(facts, now, silence)
    return msgspec.structs.replace(resting, waits=resting.waits or _noticed(facts))


def _ended(facts: Facts) -> PhaseState:
    unseen = (facts.ended_at or 0.0) > facts.seen_at
    if facts.corrected:
        return PhaseState(facts.judged.condition)
    if facts.state is State.LOST:
        return (
            PhaseState(Condition.IDLE)
            if facts.stopped
            else PhaseState(Condition.ERROR, waits=unseen)
        )
    if facts.stopped or facts.exit_code == verdict.CTRL_C:
        return PhaseState(Condition.IDLE)
    return PhaseState(Condition.ERROR if facts.exit_code else Condition.SUCCESS, waits=unseen)


def _calling(facts: Facts) -> PhaseState:
    """A question waits until it is answered; what only looks suspicious, until it was seen."""
    if facts.asks or facts.since > facts.seen_at:
        return PhaseState(Condition.ATTENTION, waits=True)
    return PhaseState(Condition.IDLE)


def _rang(facts: Facts) -> bool:
    """A bell calls where nothing else says what it was for."""
    if facts.called_at is None or facts.speaks or facts.judged in verdict.OVER:
        return False
    return facts.called_at > facts.seen_at


def _noticed(facts: Facts) -> bool:
    """A notice says itself what it is for: it waits to be seen, and the program may work on."""
    return facts.noticed_at is not None and not facts.speaks and facts.noticed_at > facts.seen_at


def _resting(facts: Facts, now: float, silence: float) -> PhaseState:
    """Done stays until the user has begun something new."""
    composed = facts.composed_at
    if facts.judged in verdict.OVER and (composed is None or composed <= facts.since):
        return PhaseState(facts.judged.condition, waits=facts.since > facts.seen_at)
    if composed is not None and now < composed + silence:
        return PhaseState(Condition.LISTENING, until=composed + silence)
    return PhaseState(Condition.IDLE)
