"""A session that was asked for: it gets the keys as soon as the orchestrator tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.screens.state import AppState


class ExpectedSession:
    """Goes to one session, the last that was asked for."""

    def __init__(
        self,
        state: AppState,
        *,
        hold: Callable[[], Callable[[], None]],
        go_to: Callable[[str], object],
    ) -> None:
        self._state = state
        self._hold = hold
        """Holds what is typed until the function that it returns is called."""
        self._go_to = go_to
        self._session_id = ""
        self._release: Callable[[], None] = lambda: None

    def expect(self, session_id: str) -> None:
        """Go to a session as soon as it is there; it gets what is typed from now on."""
        self._session_id, self._release = session_id, self._hold()
        self.look()

    def look(self) -> None:
        """Go to the session if it is there by now."""
        if self._session_id in self._state.sessions:
            session_id, self._session_id = self._session_id, ""
            self._go_to(session_id)
            self._release()
