"""Which face the character shows, and for how long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final

import msgspec
from textual.timer import Timer

from nagomi_tui.sessions.session import PHASES, Condition, Session
from nagomi_tui.view.common.timers import Timers

HOLD_SECONDS: Final = 4.0
"""Seconds for which success, error and attention stay on the face (N-46)."""

HELD: Final = frozenset({Condition.SUCCESS, Condition.ERROR, Condition.ATTENTION})
PASSING: Final = HELD - {Condition.ATTENTION}


class Face(msgspec.Struct, frozen=True):
    """The phase on a character's face; `until` is when its hold ends, 0 if it is not held."""

    phase: Condition = Condition.IDLE
    until: float = 0.0
    told: Condition = Condition.IDLE
    """The phase that was reported last."""
    since: float | None = None
    """When that phase began, by which a repeated report is recognised; None if unknown."""
    waits: bool = False
    """The session waits for its user, who has not answered, or not seen how it ended."""


def strongest(phases: Iterable[Condition]) -> Condition:
    """Return the phase that wins over the others (N-45)."""
    return min(phases, key=PHASES.index, default=Condition.IDLE)


def show(
    face: Face,
    phase: Condition,
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
    return msgspec.structs.replace(face, phase=Condition.IDLE if rests else face.told, until=0.0)


_AT_REST: Final = {"reserved": Condition.LISTENING, "autonomous": Condition.THINKING}


def pose(phase: Condition, agent_mode: str) -> Condition:
    """Return the phase whose face is shown: one at rest tells the resident agent's mode."""
    return _AT_REST.get(agent_mode, phase) if phase is Condition.IDLE else phase


class Faces:
    """Keeps each session's face, on which a strong phase stays a while; times are monotonic seconds."""

    def __init__(self) -> None:
        self.hold = HOLD_SECONDS
        """Seconds for which a strong phase stays on a face."""
        self._faces: dict[str, Face] = {}
        self._speaking: dict[str, float] = {}

    def hear(self, session: Session, now: float) -> None:
        """Note how the session stands."""
        self._faces[session.session_id] = show(
            self._faces.get(session.session_id, Face()),
            session.condition.face,
            now=now,
            since=session.phase_since,
            waits=session.waits,
            hold=self.hold,
        )

    def forget(self, session_id: str) -> None:
        self._faces.pop(session_id, None)
        self._speaking.pop(session_id, None)

    def phase(self, session_id: str) -> Condition:
        """Return the phase that the face shows."""
        return self._faces.get(session_id, Face()).phase

    def speak(self, session_id: str, until: float) -> None:
        """Have the character speak until then (N-47); a time in the past ends that."""
        self._speaking[session_id] = until

    def speaks(self, session_id: str, now: float) -> bool:
        """Return whether the character speaks now."""
        return now < self._speaking.get(session_id, 0.0)

    def settle(self, now: float) -> bool:
        """Update the faces whose time is over; return whether any has changed."""
        self._speaking = {name: until for name, until in self._speaking.items() if now < until}
        settled = {name: settle(face, now=now) for name, face in self._faces.items()}
        changed = settled != self._faces
        self._faces = settled
        return changed

    def next_change(self) -> float | None:
        """Return when the next face changes by itself, or None if none will."""
        held = [face.until for face in self._faces.values() if face.until]
        return min([*held, *self._speaking.values()], default=None)


class FaceClock:
    """Wakes up when the next face changes; without one it has no timer."""

    def __init__(self, timers: Timers, faces: Faces, changed: Callable[[], object]) -> None:
        self._timers = timers
        self._faces = faces
        self._changed = changed
        self._timer: Timer | None = None
        self._at = 0.0

    def plan(self) -> None:
        """Set the timer for the next face that changes."""
        at = self._faces.next_change()
        if self._timer is not None:
            if at == self._at:
                return
            self._timer.stop()
            self._timer = None
        if at is not None:
            self._at = at
            self._timer = self._timers.after(max(0.01, at - time.monotonic()), self._due)

    def _due(self) -> None:
        self._timer = None
        self._faces.settle(time.monotonic())
        self._changed()
        self.plan()
