"""Manages which sessions front ends show, and which session gets their keys."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.sessions.audience import is_away
from nagomi_tui.orchestrator.views.view import SessionView

if TYPE_CHECKING:
    from collections.abc import Collection

    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.input.sender import InputSender
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.sessions.roles import Shown
    from nagomi_tui.orchestrator.views.frame_scheduler import FrameScheduler
    from nagomi_tui.orchestrator.views.session_views import SessionViews
    from nagomi_tui.orchestrator.views.sizes import Sizes
    from nagomi_tui.orchestrator.views.view import Viewer

_MOST_VIEWS: Final = 1000
"""Most views of one client: more than any user has sessions and lanes."""


class Showing:
    """Opens and closes views; only a view with `own_size` sets its session's size."""

    def __init__(
        self,
        clients: Collection[Viewer],
        views: SessionViews,
        scheduler: FrameScheduler,
        *,
        sizes: Sizes,
        sender: InputSender,
        phases: Phases,
    ) -> None:
        """`clients` are the connected ones; the collection is changed by its owner."""
        self._clients = clients
        self._views = views
        self._scheduler = scheduler
        self._sizes = sizes
        self._sender = sender
        self._phases = phases

    def view(self, client: Viewer, session: Shown, spec: messages.View) -> None:
        """Show a session in a view of this client."""
        view = client.views.get(spec.view)
        if view is not None and view.session is not session:
            self.unview(client, spec.view)
            view = None
        if view is None and len(client.views) >= _MOST_VIEWS:
            return
        if view is None:
            view = client.views[spec.view] = SessionView(client, session, spec)
            self._views.add(view)
        else:
            view.change(spec)
        self._views.pace(session)
        if spec.own_size:
            self._sizes.resize(session, spec.cols, spec.rows)
        self._scheduler.want(view)

    def unview(self, client: Viewer, number: int) -> None:
        """End a view."""
        if view := client.views.pop(number, None):
            self._scheduler.drop(view)
            self._views.remove(view)
            self._views.pace(view.session)

    def taken(self, client: Viewer, message: messages.Taken) -> None:
        """Note that a front end has shown a frame."""
        if view := client.views.get(message.view):
            view.taken(message.frame)
            self._scheduler.free(view)

    def drained(self, client: Viewer) -> None:
        """Send frames again to a client that takes them."""
        for view in client.views.values():
            self._scheduler.free(view)

    def focus(self, client: Viewer, session: Shown | None) -> None:
        """Give the client's keys to this session, or to none."""
        before, client.focus = client.focus, session
        if before is session:
            return
        if before is not None:
            self._scheduler.touch(before)  # its cursor is followed no more
            if not self._is_focused(before):
                self._sender.focus(before, False)
        if session is not None:
            self._scheduler.touch(session)
            if not is_away(client):
                self.seen(session)
            self._sender.focus(session, True)

    def seen(self, session: Shown) -> None:
        """Note that the user has looked at the session."""
        session.run.seen_at = time.time()
        self._phases.update(session)

    def typed(self, client: Viewer, session: Shown) -> None:
        """Give the session the size of the typing client's view, if that has `own_size`."""
        if view := _own_view(client, session):
            self._sizes.resize(session, *view.size)

    def fit(self, session: Shown) -> None:
        """Give a session that was away the size of a view, if those have changed meanwhile."""
        sizes = [view.size for view in self._views.of(session) if view.spec.own_size]
        if sizes and (session.info.cols, session.info.rows) not in sizes:
            self._sizes.resize(session, *sizes[0])

    def forget(self, session: Shown) -> None:
        """Close all views of a session that leaves the list, and end its focus."""
        for view in self._views.of(session):
            self.unview(view.client, view.spec.view)
        for client in self._clients:
            if client.focus is session:
                client.focus = None

    def leave(self, client: Viewer) -> None:
        """Close the views of a client that has gone."""
        for number in list(client.views):
            self.unview(client, number)
        self.focus(client, None)

    def _is_focused(self, session: Shown) -> bool:
        return any(client.focus is session for client in self._clients)


def _own_view(client: Viewer, session: Shown) -> SessionView | None:
    """Return the client's view that sets the session's size, or None."""
    mine = (
        view for view in client.views.values() if view.session is session and view.spec.own_size
    )
    return next(mine, None)
