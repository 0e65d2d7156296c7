"""Which face a character shows: the phase by priority, and how long a news stays on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.session import PRIORITY, Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

HOLD_SECONDS: Final = 4.0
"""How long success, error and attention stay on the face (N-46)."""

HELD: Final = frozenset({Phase.SUCCESS, Phase.ERROR, Phase.ATTENTION})


class Face(msgspec.Struct, frozen=True):
    """The phase on a character's face; `until` is when a held one gives way, 0 for never."""

    phase: Phase = Phase.IDLE
    until: float = 0.0


def strongest(phases: Iterable[Phase]) -> Phase:
    """Return the phase that wins over the others (N-45)."""
    return min(phases, key=PRIORITY.index, default=Phase.IDLE)


def show(face: Face, phase: Phase, *, now: float, hold: float = HOLD_SECONDS) -> Face:
    """Return the face after a phase was reported: a held news is replaced only by a stronger one.

    A news that is reported again while it is held does not start anew.
    """
    holding = face.phase in HELD and now < face.until
    if holding and (phase == face.phase or strongest((phase, face.phase)) == face.phase):
        return face
    return Face(phase, now + hold if phase in HELD else 0.0)


def settle(face: Face, phase: Phase, *, now: float) -> Face:
    """Return the face once time has passed: after its hold it shows what is, or rests (N-46)."""
    if face.phase not in HELD or now < face.until:
        return face
    return Face(Phase.IDLE if phase in HELD else phase)
