"""What front ends show of sessions, and which of these get their keys."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.orchestrator.views.view import SessionView

if TYPE_CHECKING:
    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.input.sender import Hands
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.sessions.audience import Audience
    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.views.frame_scheduler import FrameScheduler
    from nagomi_tui.orchestrator.views.session_views import SessionViews
    from nagomi_tui.orchestrator.views.sizes import Sizes
    from nagomi_tui.orchestrator.views.view import Viewer

_MOST_VIEWS: Final = 1000
"""Views of one client: more than sessions and lanes that anybody has."""


class Showing:
    """Opens and closes views; only a view that asks for it sets a session's size."""

    def __init__(
        self,
        views: SessionViews,
        scheduler: FrameScheduler,
        sizes: Sizes,
        *,
        hands: Hands,
        audience: Audience,
        phases: Phases,
    ) -> None:
        self._views = views
        self._scheduler = scheduler
        self._sizes = sizes
        self._hands = hands
        self._audience = audience
        self._phases = phases

    def view(self, client: Viewer, live: Live, spec: messages.View) -> None:
        """Show a session in a view of this client."""
        view = client.views.get(spec.view)
        if view is not None and view.live is not live:
            self.unview(client, spec.view)
            view = None
        if view is None and len(client.views) >= _MOST_VIEWS:
            return
        if view is None:
            view = client.views[spec.view] = SessionView(client, live, spec)
            self._views.add(view)
        else:
            view.change(spec)
        if spec.own_size:
            self._sizes.resize(live, spec.cols, spec.rows)
        self._scheduler.want(view)

    def unview(self, client: Viewer, number: int) -> None:
        """End a view."""
        if view := client.views.pop(number, None):
            self._scheduler.drop(view)
            self._views.remove(view)

    def taken(self, client: Viewer, message: messages.Taken) -> None:
        """A frame was shown."""
        if view := client.views.get(message.view):
            view.taken(message.frame)
            self._scheduler.free(view)

    def drained(self, client: Viewer) -> None:
        """A client takes frames again."""
        for view in client.views.values():
            self._scheduler.free(view)

    def focus(self, client: Viewer, live: Live | None) -> None:
        """This session gets the client's keys from now on."""
        before, client.focus = client.focus, live
        if before is not None and before is not live and not self._is_focused(before):
            self._hands.focus(before, False)
        if live is not None and before is not live:
            self.seen(live)
            self._hands.focus(live, True)

    def seen(self, live: Live) -> None:
        """The user has looked at the session."""
        live.run.seen_at = time.time()
        self._phases.update(live)

    def typed(self, client: Viewer, live: Live) -> None:
        """A client types: the session takes the size of its view, where it has one of its own."""
        if view := _own_view(client, live):
            self._sizes.resize(live, *view.size)

    def forget(self, live: Live) -> None:
        """A session is about to go: nobody shows or focuses it any more."""
        for view in self._views.of(live):
            self.unview(view.client, view.spec.view)
        for client in self._audience.clients:
            if client.focus is live:
                client.focus = None

    def leave(self, client: Viewer) -> None:
        """A client has gone."""
        for number in list(client.views):
            self.unview(client, number)
        self.focus(client, None)

    def _is_focused(self, live: Live) -> bool:
        return any(client.focus is live for client in self._audience.clients)


def _own_view(client: Viewer, live: Live) -> SessionView | None:
    """The view of this client that gives the session its size, if there is one."""
    mine = (view for view in client.views.values() if view.live is live and view.spec.own_size)
    return next(mine, None)
