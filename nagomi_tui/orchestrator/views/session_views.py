"""Which views there are of each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.views.view import SessionView


class SessionViews:
    """The views that are open, by their sessions."""

    def __init__(self) -> None:
        self._views: dict[Live, list[SessionView]] = {}

    def of(self, live: Live) -> Sequence[SessionView]:
        """Return the views of a session."""
        return self._views.get(live, ())

    def is_shown(self, live: Live) -> bool:
        """Tell whether somebody shows the session."""
        return live in self._views

    def add(self, view: SessionView) -> None:
        """A view was opened."""
        self._views[view.live] = [*self.of(view.live), view]

    def remove(self, view: SessionView) -> None:
        """A view was closed."""
        left = [other for other in self.of(view.live) if other is not view]
        if left:
            self._views[view.live] = left
        else:
            self._views.pop(view.live, None)
