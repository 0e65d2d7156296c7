"""Which views there are of each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.sessions.session import UNSEEN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.sessions.roles import Named, Shown
    from nagomi_tui.orchestrator.views.view import SessionView


class SessionViews:
    """The views that are open, by their sessions."""

    def __init__(self) -> None:
        self._views: dict[Named, list[SessionView]] = {}

    def of(self, session: Named) -> Sequence[SessionView]:
        """Return the views of a session."""
        return self._views.get(session, ())

    def is_shown(self, session: Named) -> bool:
        """Return whether a front end shows the session."""
        return session in self._views

    def is_scrolled(self, session: Named) -> bool:
        """Return whether a view of the session shows lines that output may drop."""
        return any(view.line is not None for view in self.of(session))

    def pace(self, session: Shown) -> None:
        """Have the session read as often as its views are drawn at most."""
        fps = max((view.spec.fps for view in self.of(session)), default=0)
        session.pace(min(1 / fps, UNSEEN_SECONDS) if fps > 0 else UNSEEN_SECONDS)

    def add(self, view: SessionView) -> None:
        """Add a view that was opened."""
        self._views[view.session] = [*self.of(view.session), view]

    def remove(self, view: SessionView) -> None:
        """Remove a view that was closed."""
        left = [other for other in self.of(view.session) if other is not view]
        if left:
            self._views[view.session] = left
        else:
            self._views.pop(view.session, None)
