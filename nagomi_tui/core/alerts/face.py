"""Which face a character shows: that of the strongest phase, held for a while after news."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.session.session import PRIORITY, Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

HOLD_SECONDS: Final = 4.0
"""Seconds for which success, error and attention stay on the face (N-46)."""

HELD: Final = frozenset({Phase.SUCCESS, Phase.ERROR, Phase.ATTENTION})
PASSING: Final = HELD - {Phase.ATTENTION}


class Face(msgspec.Struct, frozen=True):
    """The phase on a character's face; `until` is when its hold ends, 0 if it is not held."""

    phase: Phase = Phase.IDLE
    until: float = 0.0
    told: Phase = Phase.IDLE
    """The phase that was reported last."""
    since: float | None = None
    """When that phase began, by which a repeated report is recognised; None if unknown."""
    waits: bool = False
    """The session waits for its user, who has not answered, or not seen how it ended."""


def strongest(phases: Iterable[Phase]) -> Phase:
    """Return the phase that wins over the others (N-45)."""
    return min(phases, key=PRIORITY.index, default=Phase.IDLE)


def show(
    face: Face,
    phase: Phase,
    *,
    now: float,
    since: float | None = None,
    waits: bool = False,
    hold: float = HOLD_SECONDS,
) -> Face:
    """Return the face after a phase was reported: a held phase gives way only to a stronger one.

    A phase that is reported again is not held anew.
    """
    if (phase, since) == (face.told, face.since):
        return settle(msgspec.structs.replace(face, waits=waits), now=now)
    holding = face.phase in HELD and now < face.until
    if holding and phase != face.phase and strongest((phase, face.phase)) == face.phase:
        return Face(face.phase, face.until, phase, since, waits)
    return Face(phase, now + hold if phase in HELD else 0.0, phase, since, waits)


def settle(face: Face, *, now: float) -> Face:
    """Return the face at `now`: after its hold, the last reported phase, or rest (N-46).

    While the session waits for its user, the face stays with the badge: none sleeps beside it.
    """
    if now < face.until:
        return face
    rests = face.told in PASSING and not face.waits
    return msgspec.structs.replace(face, phase=Phase.IDLE if rests else face.told, until=0.0)


_AT_REST: Final = {"reserved": Phase.LISTENING, "autonomous": Phase.THINKING}


def pose(phase: Phase, agent_mode: str) -> Phase:
    """Return the phase whose face is shown: one at rest tells the resident agent's mode."""
    return _AT_REST.get(agent_mode, phase) if phase is Phase.IDLE else phase
