"""Where a session is, in a few characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.text.text import short_folder

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import Session


def place_of(session: Session, home: str) -> str:
    """Return a session's folder in its short form, behind the hand that it runs on."""
    if session.is_local:
        return short_folder(session.here, home)
    return f"{session.worker_id}:{session.here}"
