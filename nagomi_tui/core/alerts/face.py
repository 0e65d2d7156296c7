"""Which face a character shows: the phase by priority, and how long a news stays on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.session.session import PRIORITY, Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

HOLD_SECONDS: Final = 4.0
"""How long success, error and attention stay on the face (N-46)."""

HELD: Final = frozenset({Phase.SUCCESS, Phase.ERROR, Phase.ATTENTION})


class Face(msgspec.Struct, frozen=True):
    """The phase on a character's face; `until` is when a held one gives way, 0 for never."""

    phase: Phase = Phase.IDLE
    until: float = 0.0
    told: Phase = Phase.IDLE
    """The phase that was reported last."""
    since: float | None = None
    """When that phase began, so that the same news told again is known for what it is."""


def strongest(phases: Iterable[Phase]) -> Phase:
    """Return the phase that wins over the others (N-45)."""
    return min(phases, key=PRIORITY.index, default=Phase.IDLE)


def show(
    face: Face,
    phase: Phase,
    *,
    now: float,
    since: float | None = None,
    hold: float = HOLD_SECONDS,
) -> Face:
    """Return the face after a phase was reported: a held news is replaced only by a stronger one.

    A news that is reported again, held or past, does not start anew.
    """
    if (phase, since) == (face.told, face.since):
        return settle(face, now=now)
    holding = face.phase in HELD and now < face.until
    if holding and phase != face.phase and strongest((phase, face.phase)) == face.phase:
        return Face(face.phase, face.until, phase, since)
    return Face(phase, now + hold if phase in HELD else 0.0, phase, since)


def settle(face: Face, *, now: float) -> Face:
    """Return the face once time has passed: after its hold it shows what is, or rests (N-46)."""
    if face.phase not in HELD or now < face.until:
        return face
    rest = Phase.IDLE if face.told in HELD else face.told
    return Face(rest, 0.0, face.told, face.since)
