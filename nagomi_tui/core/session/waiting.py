"""Which session to go to first: one that asks, then one that failed, then one that is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.session.session import Phase

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from nagomi_tui.core.session.session import Session

_RANK: Final = {Phase.ATTENTION: 0, Phase.ERROR: 1, Phase.SUCCESS: 2}


def by_need(sessions: Iterable[Session]) -> list[Session]:
    """Return those that wait for the user; among equals the one that has waited longest first."""
    return sorted((session for session in sessions if session.waits), key=_need)


def next_in_need(sessions: Iterable[Session], passed: Container[str] = ()) -> Session | None:
    """Return the session to go to first, without those in `passed`; None if none waits."""
    return next((one for one in by_need(sessions) if one.session_id not in passed), None)


def _need(session: Session) -> tuple[int, float, int]:
    since = session.phase_since or session.ended_at or session.last_output_at or 0.0
    return _RANK.get(session.phase, len(_RANK)), since, session.number
