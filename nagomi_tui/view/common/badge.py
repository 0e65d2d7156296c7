"""A session's phase as a symbol, a colour and a word: never a colour alone (N-42, N-140)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.session.session import Phase, State
from nagomi_tui.view.common.translate import tr
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import Session


class Badge(msgspec.Struct, frozen=True):
    """How one phase is shown; `color` names a variable of the theme."""

    shape: str
    color: str
    word: str


PHASES: Final = {
    Phase.ATTENTION: Badge("◆", "accent", translatable("waits for you")),
    Phase.ERROR: Badge("▲", "error", translatable("stumbled")),
    Phase.SUCCESS: Badge("✓", "success", translatable("done")),
    Phase.RUNNING: Badge("●", "primary", translatable("working")),
    Phase.THINKING: Badge("◐", "primary", translatable("thinking")),
    Phase.LISTENING: Badge("○", "secondary", translatable("listening")),
    Phase.IDLE: Badge("·", "muted", translatable("resting")),
}

_STARTING: Final = Badge("◌", "muted", translatable("starting"))
_ENDED_WELL: Final = Badge("✓", "success", translatable("ended"))
_ENDED: Final = Badge("□", "muted", translatable("ended"))
_STOPPED: Final = Badge("□", "muted", translatable("stopped"))
_STUMBLED: Final = Badge("▲", "error", translatable("ended early"))
_LOST: Final = Badge("△", "warning", translatable("lost"))
_SAVED: Final = Badge("□", "muted", translatable("from before"))


def badge(session: Session) -> Badge:
    """Return the badge of a session."""
    match session.state:
        case State.STARTING:
            return _STARTING
        case State.LOST:
            return _LOST
        case State.SAVED:
            return _SAVED
        case State.EXITED:
            return _exited(session)
        case _:
            return PHASES[session.phase]


def _exited(session: Session) -> Badge:
    if session.exit_code == 0:
        return _ENDED_WELL
    if session.signal is not None or session.exit_code is None:
        return _STOPPED
    return _STUMBLED


def ending(session: Session) -> str:
    """Return a plain sentence on how a session ended (N-139), or "" if there is none."""
    match session.state:
        case State.LOST:
            return tr("The worker stopped, and this session with it.")
        case State.SAVED:
            return tr("From before; it does not run now.")
        case State.EXITED if session.exit_code == 0:
            return tr("It has ended.")
        case State.EXITED if session.signal is not None or session.exit_code is None:
            return tr("It was stopped.")
        case State.EXITED:
            return tr("It ended early (code {code}).", code=session.exit_code)
        case _:
            return ""
