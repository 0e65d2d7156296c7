"""Whether the command of a session still runs, seen without its worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_worker.pty.command import SESSION_MARK

if TYPE_CHECKING:
    import psutil

    from nagomi_tui.core.session.session import Session

_APART_SECONDS: Final = 5.0
"""How far the system's clock may have been set between a start and now."""


def lives(session: Session) -> bool:
    """Tell whether a session's process lives under a worker: its number may be another's by now."""
    if session.pid is None:
        return False
    import psutil

    try:
        process = psutil.Process(session.pid)
        return _is_held(process) and _is_of(process, session)
    except psutil.Error:
        return False
    except OSError:  # it cannot be looked at now, so nothing is to take its place
        return True


def _is_held(process: psutil.Process) -> bool:
    """Tell whether it runs and its worker lives; else somebody else has taken the orphan in."""
    if process.status() == "zombie":
        return False
    worker = process.parent()
    return worker is not None and any("nagomi_worker" in word for word in worker.cmdline())


def _is_of(process: psutil.Process, session: Session) -> bool:
    began = abs(process.create_time() - (session.started_at or 0.0)) < _APART_SECONDS
    return began or process.environ().get(SESSION_MARK) == session.session_id
