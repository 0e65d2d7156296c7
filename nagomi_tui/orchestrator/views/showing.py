"""What front ends show and focus, and the size that a session takes from it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.lifecycle.checks import COLS_LIMIT, ROWS_LIMIT
from nagomi_tui.orchestrator.terminals.anchor import anchor, anchor_of_cell, cell_of, line_of
from nagomi_tui.orchestrator.views.view import View
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.input.sender import Hands
    from nagomi_tui.orchestrator.resident.workplace import Workplace
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.terminals.screens import Screen

_MOST_VIEWS: Final = 1000
"""Views of one client: more than sessions and lanes that anybody has."""


class Showing:
    """Opens and closes views; only a view that asks for it sets a session's size."""

    def __init__(self, place: Workplace, hands: Hands) -> None:
        self._place = place
        self._hands = hands

    def view(self, client: Client, live: Live, spec: messages.View) -> None:
        """Show a session in a view of this client."""
        view = client.views.get(spec.view)
        if view is not None and view.live is not live:
            self.unview(client, spec.view)
            view = None
        if view is None and len(client.views) >= _MOST_VIEWS:
            return
        if view is None:
            view = client.views[spec.view] = View(client, live, spec)
            live.views.append(view)
        else:
            view.change(spec)
        if spec.own_size:
            self.resize(live, spec.cols, spec.rows)
        self._place.painter.want(view)

    def unview(self, client: Client, number: int) -> None:
        """End a view."""
        if view := client.views.pop(number, None):
            self._place.painter.drop(view)
            view.live.views.remove(view)

    def taken(self, client: Client, message: messages.Taken) -> None:
        """A frame was shown."""
        if view := client.views.get(message.view):
            view.taken(message.frame)
            self._place.painter.free(view)

    def drained(self, client: Client) -> None:
        """A client takes frames again."""
        for view in client.views.values():
            self._place.painter.free(view)

    def focus(self, client: Client, live: Live | None) -> None:
        """This session gets the client's keys from now on."""
        before, client.focus = client.focus, live
        if before is not None and before is not live and not self._is_focused(before):
            self._hands.focus(before, False)
        if live is not None and before is not live:
            self.seen(live)
            self._hands.focus(live, True)

    def seen(self, live: Live) -> None:
        """The user has looked at the session."""
        live.seen_at = time.time()
        self._place.judge(live)

    def typed(self, client: Client, live: Live) -> None:
        """A client types: the session takes the size of its view, where it has one of its own."""
        if view := client.own_view(live):
            self.resize(live, *view.size)

    def resize(self, live: Live, cols: int, rows: int) -> None:
        """Set the size of a session's terminal, within bounds."""
        cols, rows = max(LEAST_COLUMNS, min(cols, COLS_LIMIT)), max(1, min(rows, ROWS_LIMIT))
        if (cols, rows) == (live.info.cols, live.info.rows) or not live.running:
            return
        if live.link is None or live.screen is None and not live.rebuilt.is_set():
            return
        live.change(cols=cols, rows=rows)
        live.link.send(protocol.Resize(session_id=live.session_id, cols=cols, rows=rows))
        if live.screen is not None and live.replay is None:
            report = self._reflow(live, live.screen, cols, rows)
            if report:
                text = report.decode("utf-8", "replace")
                live.link.send(protocol.SendInput(session_id=live.session_id, text=text))
        live.unsaved = max(live.unsaved, 1)
        self._place.publish(live)
        self._place.painter.touch(live)

    def _reflow(self, live: Live, screen: Screen, cols: int, rows: int) -> bytes:
        """Resize a screen; what was read of it, and views fixed on a line, stay with the text."""
        read = self._place.transcripts.place(live)
        report = self._resized(live, screen, cols, rows)
        self._place.transcripts.resized(live, read)
        if live.trace is not None:
            live.trace.resized(cols, rows)
        return report

    def _resized(self, live: Live, screen: Screen, cols: int, rows: int) -> bytes:
        views = [view for view in live.views if view.line is not None or view.kept]
        if not views or screen.modes.alt_screen:
            return screen.resize(cols, rows)
        tops = [None if view.line is None else anchor(screen, view.line) for view in views]
        kept = [[anchor_of_cell(screen, *cell) for cell in view.kept] for view in views]
        report = screen.resize(cols, rows)
        for view, top, cells in zip(views, tops, kept, strict=True):
            line = None if top is None else line_of(screen, top)
            view.resized(line, tuple(cell_of(screen, cell) for cell in cells))
        return report

    def leave(self, client: Client) -> None:
        """A client has gone."""
        for number in list(client.views):
            self.unview(client, number)
        self.focus(client, None)

    def _is_focused(self, live: Live) -> bool:
        return any(client.focus is live for client in self._place.clients)
