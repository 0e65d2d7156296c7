"""Which face each session's character shows, and which characters speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.alerts.face import HOLD_SECONDS, Face, settle, show
from nagomi_tui.core.session.condition import condition, face_of

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import Phase, Session


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
            face_of(condition(session)),
            now=now,
            since=session.phase_since,
            waits=session.waits,
            hold=self.hold,
        )

    def forget(self, session_id: str) -> None:
        """Forget a session that is gone."""
        self._faces.pop(session_id, None)
        self._speaking.pop(session_id, None)

    def phase(self, session_id: str) -> Phase:
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
