"""Whether the command of a session still runs, seen without its worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_worker.command import SESSION_MARK

if TYPE_CHECKING:
    from nagomi_tui.core.session import Session

_APART_SECONDS: Final = 5.0
"""How far the system's clock may have been set between a start and now."""


def lives(session: Session) -> bool:
    """Tell whether the process of a session lives: that number may be another one's by now."""
    if session.pid is None:
        return False
    import psutil

    try:
        process = psutil.Process(session.pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        began = abs(process.create_time() - (session.started_at or 0.0)) < _APART_SECONDS
        return began or process.environ().get(SESSION_MARK) == session.session_id
    except psutil.Error:
        return False
