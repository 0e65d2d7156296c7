"""Opens and closes views of sessions, and gives sessions the size at which they are shown.

Of the front ends, the one that was used last decides: each session that it shows in a view with
`own_size` (a tile, a lane, zoom) takes the size of that view, once its layout has been still for half
a second. So whoever moves a window's corner, or opens and closes lanes, has each program redraw its
screen once. What is typed into has its size at once. Other sessions stay as they are, and so does one
whose size the user has bound. What an ended command has left is read at that width, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Final

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.history.transcripts import Transcripts
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.anchor import anchor, anchor_of_cell, cell_of, line_of
from nagomi_tui.orchestrator.sessions.audience import Audience, Client, is_away
from nagomi_tui.orchestrator.sessions.screens import COLS_LIMIT, ROWS_LIMIT, Screen
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler
from nagomi_tui.orchestrator.views.view import SessionView
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from nagomi_worker.wire import protocol

STILL_SECONDS: Final = 0.5
"""Seconds for which the layout of a front end must not change before sessions take their new sizes."""
_MOST_VIEWS: Final = 1000
"""Most views of one client: more than any user has sessions and lanes."""


@dataclass(eq=False)
class Showing:
    """Opens and closes views; only a view with `own_size` sets its session's size."""

    audience: Audience
    scheduler: FrameScheduler
    _: KW_ONLY
    alarms: Alarms
    sender: InputSender
    judges: Judges
    transcripts: Transcripts

    def __post_init__(self) -> None:
        self._used_last: Client | None = None
        """The front end that was used last, among those that show something."""

    def view(self, client: Client, session: SessionRuntime, spec: messages.View) -> None:
        if not client.views:
            self.used(client)
        view: SessionView | None = client.views.get(spec.view)
        if view is not None and view.session is not session:
            self.unview(client, spec.view)
            view = None
        if view is None and len(client.views) >= _MOST_VIEWS:
            return
        if view is None:
            view = client.views[spec.view] = SessionView(client, session, spec)
            self.scheduler.open(view)
            self._layout_changed(client)
        else:
            before = view.size, view.spec.own_size
            view.change(spec)
            if before != (view.size, spec.own_size):
                self._layout_changed(client)
        self.scheduler.pace(session)
        self.scheduler.want(view)

    def unview(self, client: Client, number: int) -> None:
        """End a view."""
        if view := client.views.pop(number, None):
            self.scheduler.close(view)
            self._layout_changed(client)

    def taken(self, client: Client, message: messages.Taken) -> None:
        """Note that a front end has shown a frame."""
        if view := client.views.get(message.view):
            view.taken(message.frame)
            self.scheduler.free(view)

    def drained(self, client: Client) -> None:
        """Send frames again to a client that takes them."""
        for view in client.views.values():
            self.scheduler.free(view)

    def focus(self, client: Client, session: SessionRuntime | None) -> None:
        """Give the client's keys to this session, or to none."""
        before, client.focus = client.focus, session
        if before is session:
            return
        if before is not None:
            self.scheduler.touch(before)  # its cursor is followed no more
            if not self._is_focused(before):
                self.sender.focus(before, False)
        if session is not None:
            self.scheduler.touch(session)
            if not is_away(client):
                self.seen(session)
            self.sender.focus(session, True)

    def seen(self, session: SessionRuntime) -> None:
        """Note that the user has looked at the session."""
        session.run.seen_at = time.time()
        self.judges.phases.update(session)

    def used(self, client: Client) -> None:
        """Note that its user has done something in this front end: from now on its sizes count."""
        if self._used_last is not client:
            self._used_last = client
            self._layout_changed(client)

    def typed(self, client: Client, session: SessionRuntime) -> None:
        """Give the session at once the size of the typing client's view, if that has `own_size`."""
        self.used(client)
        if view := _own_view(client, session):
            self._resize(session, *view.size)

    def fit(self, session: SessionRuntime) -> None:
        """Give a session that was away the size at which it is shown, if that has changed meanwhile."""
        if self._used_last is not None and (view := _own_view(self._used_last, session)):
            self._resize(session, *view.size)

    def _layout_changed(self, client: Client) -> None:
        if client is self._used_last:
            self.alarms.after(STILL_SECONDS, (self, "sizes"), self._resize_all)

    def _resize_all(self) -> None:
        """Give each session that the front end used last shows the size of its view there.

        One whose screen is still being made, after a restart of ours, is tried again.
        """
        client = self._used_last
        if client is None:
            return
        views: list[SessionView] = list(client.views.values())
        own = [one for one in views if one is _own_view(client, one.session)]
        if not all([self._resize(view.session, *view.size) for view in own]):
            self._layout_changed(client)

    def forget(self, session: SessionRuntime) -> None:
        """Close all views of a session that leaves the list, and end its focus."""
        for view in self.scheduler.views_of(session):
            self.unview(view.client, view.spec.view)
        for client in self.audience.clients:
            if client.focus is session:
                client.focus = None

    def leave(self, client: Client) -> None:
        """Close the views of a client that has gone."""
        if client is self._used_last:
            others = [
                other for other in self.audience.clients if other.views and other is not client
            ]
            self._used_last = None
            if others:
                self.used(max(others, key=lambda other: other.active_at))
        for number in list(client.views):
            self.unview(client, number)
        self.focus(client, None)

    def _is_focused(self, session: SessionRuntime) -> bool:
        return any(client.focus is session for client in self.audience.clients)

    # --- sizes

    def _resize(self, session: SessionRuntime, cols: int, rows: int) -> bool:
        """Set the size of a session's terminal, within bounds, unless the user has bound it.

        Return whether that was all: not for a session that cannot be resized yet.
        """
        run = session.run
        if session.info.size_kept:
            return True
        cols, rows = max(LEAST_COLUMNS, min(cols, COLS_LIMIT)), max(1, min(rows, ROWS_LIMIT))
        if (cols, rows) == (session.info.cols, session.info.rows) and run.replay is None:
            return True
        if not session.running:
            return self._resize_ended(session, run.screen, cols, rows)
        if run.link is None or run.screen is None and not run.rebuilt.is_set():
            return session.info.away_since is not None  # `fit` is told when it can be reached again
        session.change(cols=cols, rows=rows)
        run.asked_size = cols, rows
        run.link.send(protocol.Resize(session_id=session.session_id, cols=cols, rows=rows))
        if run.screen is not None and run.replay is None:
            report = self._reflow(session, run.screen, cols, rows)
            if report:
                session.reply(report)
        run.unsaved = max(run.unsaved, 1)
        self.audience.publish(session)
        self.scheduler.touch(session)
        return True

    def _resize_ended(
        self, session: SessionRuntime, screen: Screen | None, cols: int, rows: int
    ) -> bool:
        """Let the lines that an ended command has left take the width at which they are read.

        Those of a program that drew the whole screen stay as they are.
        """
        run = session.run
        if screen is None or run.replay is not None:
            return run.link is None or run.rebuilt.is_set()
        if not screen.modes.alt_screen:
            session.change(cols=cols, rows=rows)
            self._reflow(session, screen, cols, rows)
            self.audience.publish(session)
            self.scheduler.touch(session)
        return True

    def _reflow(self, session: SessionRuntime, screen: Screen, cols: int, rows: int) -> bytes:
        """Resize a screen; what was read of it, and views fixed on a line, stay with the text."""
        read = self.transcripts.place(session)
        report = self._resized(session, screen, cols, rows)
        self.transcripts.resized(session, read)
        if (trace := self.judges.traces.get(session)) is not None:
            trace.resized(cols, rows)
        return report

    def _resized(self, session: SessionRuntime, screen: Screen, cols: int, rows: int) -> bytes:
        views = [
            view for view in self.scheduler.views_of(session) if view.line is not None or view.kept
        ]
        if not views or screen.modes.alt_screen:
            return screen.resize(cols, rows)
        tops = [None if view.line is None else anchor(screen, view.line) for view in views]
        kept = [[anchor_of_cell(screen, *cell) for cell in view.kept] for view in views]
        report = screen.resize(cols, rows)
        for view, top, cells in zip(views, tops, kept, strict=True):
            line = None if top is None else line_of(screen, top)
            view.resized(line, tuple(cell_of(screen, cell) for cell in cells))
        return report


def _own_view(client: Client, session: SessionRuntime) -> SessionView | None:
    """Return the client's view that sets the session's size, the one opened last, or None."""
    views: Iterable[SessionView] = reversed(client.views.values())
    return next((view for view in views if view.session is session and view.spec.own_size), None)
