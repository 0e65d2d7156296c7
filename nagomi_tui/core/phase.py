"""What a session is doing, from what is known of it: a pure rule with time as a value."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.core.session import Phase, State

ECHO_SECONDS: Final = 0.3
"""Output this soon after a typed key is taken for its echo, not for work."""

QUIET_EXITS: Final = frozenset({0, 130, 143})
"""Success, and an end by Ctrl-C or TERM, which is somebody's wish and no failure (NB-18)."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one session; times are in seconds of one clock."""

    state: State
    exit_code: int | None = None
    stopped: bool = False
    """We ended it because a user asked."""
    submitted_at: float | None = None
    """When Enter was last sent."""
    typed_at: float | None = None
    """When anything was last typed."""
    worked_at: float | None = None
    """When it last printed something that was no echo."""
    called_at: float | None = None
    """When it last rang or notified."""
    ended_at: float | None = None
    seen_at: float = float("-inf")
    """When the user last looked at it."""


class Standing(msgspec.Struct, frozen=True):
    """The phase, whether the session waits for the user, and when to ask again."""

    phase: Phase
    waits: bool = False
    until: float | None = None


def standing(facts: Facts, *, now: float, silence: float) -> Standing:
    """Judge how a session stands; the first phase by priority that holds is given (N-45)."""
    if facts.state in (State.EXITED, State.LOST):
        return _ended(facts)
    if facts.state is State.SAVED:
        return Standing(Phase.IDLE)
    if facts.called_at is not None and facts.called_at > facts.seen_at:
        return Standing(Phase.ATTENTION, waits=True)
    return _living(facts, now, silence)


def is_echo(*, now: float, typed_at: float | None, submitted_at: float | None) -> bool:
    """Tell whether output at `now` is taken for the echo of what is being typed."""
    if typed_at is None or now - typed_at > ECHO_SECONDS:
        return False
    return submitted_at is None or submitted_at < typed_at


def _ended(facts: Facts) -> Standing:
    unseen = (facts.ended_at or 0.0) > facts.seen_at
    if facts.state is State.LOST:
        return Standing(Phase.ERROR, waits=unseen)
    if facts.stopped or facts.exit_code in QUIET_EXITS - {0}:
        return Standing(Phase.IDLE)
    return Standing(Phase.ERROR if facts.exit_code else Phase.SUCCESS, waits=unseen)


def _living(facts: Facts, now: float, silence: float) -> Standing:
    submitted, worked = facts.submitted_at, facts.worked_at
    if worked is not None and (submitted is None or worked >= submitted) and now < worked + silence:
        return Standing(Phase.RUNNING, until=worked + silence)
    if submitted is not None and now < submitted + silence:
        return Standing(Phase.THINKING, until=submitted + silence)
    if facts.typed_at is not None and now < facts.typed_at + silence:
        return Standing(Phase.LISTENING, until=facts.typed_at + silence)
    return Standing(Phase.IDLE)
