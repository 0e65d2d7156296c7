"""A session's phase as a symbol, a colour and a word: never a colour alone (N-42, N-140)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge.sentences import beside_state, worded
from nagomi_tui.core.session import condition
from nagomi_tui.core.session.condition import WORDS, Condition, of_phase
from nagomi_tui.core.session.session import Phase
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import Session


class Badge(msgspec.Struct, frozen=True):
    """How one condition is shown; `color` names a variable of the theme, `word` is English."""

    shape: str
    color: str
    word: str


_LOOKS: Final = {
    Condition.ATTENTION: ("◆", "accent"),
    Condition.ERROR: ("▲", "error"),
    Condition.SUCCESS: ("✓", "success"),
    Condition.RUNNING: ("●", "primary"),
    Condition.THINKING: ("◐", "primary"),
    Condition.LISTENING: ("○", "secondary"),
    Condition.IDLE: ("·", "muted"),
    Condition.STARTING: ("◌", "muted"),
    Condition.AWAY: ("…", "muted"),
    Condition.ENDED_WELL: ("✓", "success"),
    Condition.ENDED_EARLY: ("▲", "error"),
    Condition.STOPPED: ("□", "muted"),
    Condition.LOST: ("△", "warning"),
    Condition.SAVED: ("□", "muted"),
}
_BADGES: Final = {one: Badge(*look, WORDS[one]) for one, look in _LOOKS.items()}
PHASES: Final = {phase: _BADGES[of_phase(phase)] for phase in Phase}


def badge(session: Session) -> Badge:
    """Return the badge of a session."""
    return _BADGES[condition.condition(session)]


def ending(session: Session) -> str:
    """Return a plain sentence on how a session ended (N-139), or "" if there is none."""
    return condition.ending(session, tr)


def happened(session: Session) -> str:
    """Return what happened in a session: in words of its program, else how it stands or ended."""
    return beside_state(session.summary) or ending(session) or worded(session.summary, tr)
