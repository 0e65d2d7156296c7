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
    """What happened last in it that is worth a thought; this alone is a change."""
    lines: tuple[str, ...] = ()
    """The last lines of its screen."""


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """One look at everything."""

    sessions: tuple[SessionSeen, ...] = ()
    next_steps: str = ""
    """What is in `NEXT.md`, masked."""
    away: bool = False
    """The user is not there, so that a digest is worth writing."""
    language: str = "en"
    """The language that the user reads."""

    def seen(self, mode: AgentMode) -> str:
        """Return a digest of what counts as a change.

        Of sessions only their moments do, since a spinner changes for ever; another mode does,
        since the same room is something else to think about in it.
        """
        moments = sorted((one.id, one.moment) for one in self.sessions)
        return sha256(msgspec.json.encode([mode, moments, self.next_steps])).hexdigest()
