"""Whether the command of a session still runs, found out without its worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_worker.pty.command import SESSION_MARK

if TYPE_CHECKING:
    import psutil

    from nagomi_tui.core.session.session import Session

_APART_SECONDS: Final = 5.0
"""Seconds by which the system's clock may have been changed since the start."""


def lives(session: Session) -> bool:
    """Return whether a session's process lives under a worker; its pid may have been reused."""
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
    """Return whether the process runs under a worker, and was not adopted by another process."""
    if process.status() == "zombie":
        return False
    worker = process.parent()
    return worker is not None and any("nagomi_worker" in word for word in worker.cmdline())


def _is_of(process: psutil.Process, session: Session) -> bool:
    began = abs(process.create_time() - (session.started_at or 0.0)) < _APART_SECONDS
    return began or process.environ().get(SESSION_MARK) == session.session_id
