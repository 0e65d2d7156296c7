"""What the loop sees when it looks: the sessions, and what is written to be done next."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from nagomi_tui.agent.modes.mode import AgentMode

MOST_LINES: Final = 12
"""Last lines of a session that the model is shown."""
LINE_LENGTH: Final = 200
"""Most characters of one of them."""


class SessionSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A session; all text is masked already."""

    id: str
    name: str
    phase: str
    verdict: str = ""
    """What the judge says of its last turn, and why."""
    moment: str = ""
    """The last event in it that is worth thinking about; only this counts as a change."""
    turn: int = 0
    """Number of the turn under way, or of the one that ended last."""
    lines: tuple[str, ...] = ()
    """The last lines of its screen."""


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the workplace at one moment."""

    sessions: tuple[SessionSeen, ...] = ()
    next_steps: str = ""
    """What is in `NEXT.md`, masked."""
    away: bool = False
    """Whether the user is away, so that a digest is worth writing."""
    language: str = "en"
    """The language that the user reads."""

    def seen(self, mode: AgentMode) -> str:
        """Return a hash of all that counts as a change.

        Of sessions only their moments count, since a spinner changes all the time. The mode counts,
        since the loop thinks otherwise about the same state in another mode.
        """
        moments = sorted((one.id, one.moment) for one in self.sessions)
        return sha256(msgspec.json.encode([mode, moments, self.next_steps])).hexdigest()
