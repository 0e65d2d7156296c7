"""Resizes terminals, and keeps positions in them across the reflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.terminals.anchor import anchor, anchor_of_cell, cell_of, line_of
from nagomi_tui.orchestrator.terminals.size import COLS_LIMIT, ROWS_LIMIT
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.history.transcripts import Transcripts
    from nagomi_tui.orchestrator.judging.traces import Traces
    from nagomi_tui.orchestrator.sessions.roles import Listed, Shown
    from nagomi_tui.orchestrator.terminals.screens import Screen
    from nagomi_tui.orchestrator.views.frame_scheduler import FrameScheduler
    from nagomi_tui.orchestrator.views.session_views import SessionViews


class Sizes:
    """Resizes sessions; positions bound to a line stay with its text."""

    def __init__(
        self,
        views: SessionViews,
        scheduler: FrameScheduler,
        publish: Callable[[Listed], None],
        *,
        transcripts: Transcripts,
        traces: Traces,
    ) -> None:
        self._views = views
        self._traces = traces
        self._scheduler = scheduler
        self._publish = publish
        self._transcripts = transcripts

    def resize(self, session: Shown, cols: int, rows: int) -> None:
        """Set the size of a session's terminal, within bounds."""
        run = session.run
        cols, rows = max(LEAST_COLUMNS, min(cols, COLS_LIMIT)), max(1, min(rows, ROWS_LIMIT))
        unchanged = (cols, rows) == (session.info.cols, session.info.rows)
        if unchanged and run.replay is None or not session.running:
            return
        if run.link is None or run.screen is None and not run.rebuilt.is_set():
            return
        session.change(cols=cols, rows=rows)
        run.asked_size = cols, rows
        run.link.send(protocol.Resize(session_id=session.session_id, cols=cols, rows=rows))
        if run.screen is not None and run.replay is None:
            report = self._reflow(session, run.screen, cols, rows)
            if report:
                text = report.decode("utf-8", "replace")
                run.link.send(protocol.SendInput(session_id=session.session_id, text=text))
        run.unsaved = max(run.unsaved, 1)
        self._publish(session)
        self._scheduler.touch(session)

    def _reflow(self, session: Shown, screen: Screen, cols: int, rows: int) -> bytes:
        """Resize a screen; what was read of it, and views fixed on a line, stay with the text."""
        read = self._transcripts.place(session)
        report = self._resized(session, screen, cols, rows)
        self._transcripts.resized(session, read)
        if (trace := self._traces.get(session)) is not None:
            trace.resized(cols, rows)
        return report

    def _resized(self, session: Shown, screen: Screen, cols: int, rows: int) -> bytes:
        views = [view for view in self._views.of(session) if view.line is not None or view.kept]
        if not views or screen.modes.alt_screen:
            return screen.resize(cols, rows)
        tops = [None if view.line is None else anchor(screen, view.line) for view in views]
        kept = [[anchor_of_cell(screen, *cell) for cell in view.kept] for view in views]
        report = screen.resize(cols, rows)
        for view, top, cells in zip(views, tops, kept, strict=True):
            line = None if top is None else line_of(screen, top)
            view.resized(line, tuple(cell_of(screen, cell) for cell in cells))
        return report
