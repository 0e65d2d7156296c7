"""The terminal of a session: made when it is needed first, and answering what its child asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.terminals.screens import FALLBACK
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.terminals.screens import Screen, ScreenMaker


def screen_of(screens: ScreenMaker, live: Live) -> Screen:
    """Return a session's screen, a new one where it has none."""
    run = live.run
    if run.screen is None:
        engine = FALLBACK if run.distrusted else ""
        run.screen = screens.new(live.session_id, live.info.cols, live.info.rows, engine=engine)
        live.change(engine=run.screen.version)
    return run.screen


def reply(live: Live, replies: bytes, offset: int) -> None:
    """Send a terminal's answers to the queries that stood in the output before `offset`."""
    if live.run.link is not None and live.running:
        text = replies.decode("utf-8", "replace")
        live.run.link.send(
            protocol.SendInput(session_id=live.session_id, text=text, reply_offset=offset)
        )
