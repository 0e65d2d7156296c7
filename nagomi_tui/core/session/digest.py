"""What happened while no front end was attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.session.condition import Condition, condition
from nagomi_tui.core.session.session import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.core.session.session import Session


def digest(sessions: Iterable[Session], *, since: float | None) -> tuple[tuple[str, str], ...]:
    """Return name and condition of what ended after `since` and of all that waits.

    `since` is None if no front end was ever attached; nothing is listed then.
    """
    if since is None:
        return ()
    told = ((session.name, _outcome(session, since)) for session in sessions)
    return tuple((name, outcome) for name, outcome in told if outcome)


def _outcome(session: Session, since: float) -> str:
    now = condition(session)
    ended = (session.ended_at or 0.0) > since and session.state in (State.EXITED, State.LOST)
    return now.value if ended or now is Condition.ATTENTION else ""
