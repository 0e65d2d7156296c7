"""The faces of all sessions, which hold a news for a while, and who speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.alerts.face import HOLD_SECONDS, Face, settle, show

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import Phase, Session


class Faces:
    """Knows each session's face; times are seconds of one clock that only goes forward."""

    def __init__(self) -> None:
        self.hold = HOLD_SECONDS
        """How long a news stays on a face."""
        self._faces: dict[str, Face] = {}
        self._speaking: dict[str, float] = {}

    def hear(self, session: Session, now: float) -> None:
        """Take in how a session stands."""
        self._faces[session.session_id] = show(
            self._faces.get(session.session_id, Face()),
            session.phase,
            now=now,
            since=session.phase_since,
            hold=self.hold,
        )

    def forget(self, session_id: str) -> None:
        """The session is gone."""
        self._faces.pop(session_id, None)
        self._speaking.pop(session_id, None)

    def phase(self, session_id: str) -> Phase:
        """Return the phase that the face shows."""
        return self._faces.get(session_id, Face()).phase

    def speak(self, session_id: str, until: float) -> None:
        """The character speaks until then (N-47); a time that is past ends it."""
        self._speaking[session_id] = until

    def speaks(self, session_id: str, now: float) -> bool:
        """Return whether the character speaks now."""
        return now < self._speaking.get(session_id, 0.0)

    def settle(self, now: float) -> bool:
        """Let faces rest whose time is over; true when any has changed."""
        self._speaking = {name: until for name, until in self._speaking.items() if now < until}
        settled = {name: settle(face, now=now) for name, face in self._faces.items()}
        changed = settled != self._faces
        self._faces = settled
        return changed

    def next_change(self) -> float | None:
        """Return when the next face rests or falls silent, or None."""
        held = [face.until for face in self._faces.values() if face.until]
        return min([*held, *self._speaking.values()], default=None)
