"""Focuses a session that was asked for, as soon as the orchestrator tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class ExpectedSession:
    """Waits for the session that was asked for last, and goes to it."""

    def __init__(
        self,
        is_there: Callable[[str], bool],
        *,
        hold: Callable[[], Callable[[], None]],
        go_to: Callable[[str], object],
    ) -> None:
        self._is_there = is_there
        """Returns whether the list has a session with this id."""
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
        if self._is_there(self._session_id):
            session_id, self._session_id = self._session_id, ""
            self._go_to(session_id)
            self._release()
