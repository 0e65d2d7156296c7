"""What happened while no front end was attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.session.session import Phase, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.core.session.session import Session


def digest(sessions: Iterable[Session], *, since: float | None) -> tuple[tuple[str, str], ...]:
    """Return name and outcome of what ended after `since` and of all that waits.

    `since` is None if no front end was ever attached; nothing is listed then.
    """
    if since is None:
        return ()
    told = ((session.name, _outcome(session, since)) for session in sessions)
    return tuple((name, outcome) for name, outcome in told if outcome)


def _outcome(session: Session, since: float) -> str:
    if session.phase is Phase.ATTENTION:
        return "waits"
    if (session.ended_at or 0.0) <= since:
        return ""
    if session.state is State.LOST:
        return "lost"
    if session.state is not State.EXITED:
        return ""
    return "failed" if session.phase is Phase.ERROR else "finished"
