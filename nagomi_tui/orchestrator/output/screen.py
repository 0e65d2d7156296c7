"""The terminal of a session: made when it is needed first, and answering what its child asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.terminals.screens import FALLBACK
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.terminals.screens import Screen, ScreenMaker


def screen_of(screens: ScreenMaker, session: SessionRuntime) -> Screen:
    """Return a session's screen, a new one where it has none."""
    run = session.run
    if run.screen is None:
        engine = FALLBACK if run.distrusted else ""
        run.screen = screens.new(
            session.session_id, session.info.cols, session.info.rows, engine=engine
        )
        session.change(engine=run.screen.version)
    return run.screen


def reply(session: SessionRuntime, replies: bytes, offset: int) -> None:
    """Send a terminal's answers to the queries that stood in the output before `offset`."""
    if session.run.link is not None and session.running:
        text = replies.decode("utf-8", "replace")
        session.run.link.send(
            protocol.SendInput(session_id=session.session_id, text=text, reply_offset=offset)
        )
