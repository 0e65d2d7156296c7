"""A sentence for the user, which stays for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from nagomi_tui.core.text.text import cells, printable
from nagomi_tui.view.common.translate import say
from nagomi_tui.view.screens.zoom_view import ZoomView

if TYPE_CHECKING:
    from textual.timer import Timer

    from nagomi_tui.view.app.application import Room

NEWS_SECONDS: Final = 10.0
"""How long a sentence stays in the bar."""
_EDGES: Final = 6


class News:
    """Says one sentence at a time in a bar, or over the screen where both bars are hidden.

    What went wrong is not lost: there too goes what the bar cuts, and what the next one pushes out.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._timer: Timer | None = None
        self._pointed = ""

    def tell(self, text: str, *, error: bool) -> None:
        """Say a sentence in place of the one before."""
        room, state = self._room, self._room.state
        unread = state.news if error and state.news_is_fault and state.news != text else ""
        state.news, state.news_is_fault = text, error
        if self._timer is not None:
            self._timer.stop()
        self._timer = room.set_timer(NEWS_SECONDS, self._forget)
        if unread:
            self._show_over(unread, error=True)
        if (state.zoomed and state.bare) or (error and cells(text) > room.size.width - _EDGES):
            self._show_over(text, error=error)
        self._show()

    def _show_over(self, text: str, *, error: bool) -> None:
        severity: Literal["error", "information"] = "error" if error else "information"
        self._room.notify(text, severity=severity, timeout=NEWS_SECONDS, markup=False)

    def point(self, target: str) -> None:
        """Say where the link under the mouse leads, or no longer; it pushes out no fault."""
        state = self._room.state
        if state.news and state.news_is_fault:
            return
        if not (state.zoomed and state.bare) and target:
            self._pointed = say("Ctrl+click opens {target}", target=printable(target))
            self.tell(self._pointed, error=False)
        elif state.news and state.news == self._pointed:
            self._forget()

    def _forget(self) -> None:
        self._room.state.news = ""
        if self._room.is_running:
            self._show()

    def _show(self) -> None:
        self._room.screen_bar.show()
        for zoom in self._room.room_screen.query(ZoomView):
            zoom.show()
