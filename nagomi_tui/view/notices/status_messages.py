"""A sentence for the user, which stays for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from nagomi_tui.core.text.text import cells, printable
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.screens.zoom_view import ZoomView

if TYPE_CHECKING:
    from textual.app import App

    from nagomi_tui.view.common.timers import Timer, Timers
    from nagomi_tui.view.screens.main_screen import MainScreen

MESSAGE_SECONDS: Final = 10.0
"""How long a sentence stays in the bar."""
_EDGES: Final = 6


class Bar(Protocol):
    """What the bar shows, and whether there is one."""

    message: str
    message_is_error: bool

    @property
    def zoomed(self) -> bool:
        """One session fills the screen, under a thin line."""

    @property
    def bare(self) -> bool:
        """Then there is not even that line."""


class StatusMessages:
    """Says one sentence at a time in a bar, or over the screen where both bars are hidden.

    What went wrong is not lost: there too goes what the bar cuts, and what the next one pushes out.
    """

    def __init__(self, app: App[Any], main: MainScreen, bar: Bar, timers: Timers) -> None:
        self._app = app
        self._main = main
        self._bar = bar
        self._timers = timers
        self._timer: Timer | None = None
        self._pointed = ""

    def tell(self, text: str, *, error: bool = False) -> None:
        """Say a sentence in place of the one before."""
        bar = self._bar
        unread = bar.message if error and bar.message_is_error and bar.message != text else ""
        bar.message, bar.message_is_error = text, error
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._timers.after(MESSAGE_SECONDS, self._forget)
        if unread:
            self._show_over(unread, error=True)
        if (bar.zoomed and bar.bare) or (error and cells(text) > self._app.size.width - _EDGES):
            self._show_over(text, error=error)
        self._show()

    def _show_over(self, text: str, *, error: bool) -> None:
        severity: Literal["error", "information"] = "error" if error else "information"
        self._app.notify(text, severity=severity, timeout=MESSAGE_SECONDS, markup=False)

    def point(self, target: str) -> None:
        """Say where the link under the mouse leads, or no longer; it pushes out no fault."""
        bar = self._bar
        if bar.message and bar.message_is_error:
            return
        if not (bar.zoomed and bar.bare) and target:
            self._pointed = tr("Ctrl+click opens {target}", target=printable(target))
            self.tell(self._pointed, error=False)
        elif bar.message and bar.message == self._pointed:
            self._forget()

    def _forget(self) -> None:
        self._bar.message = ""
        self._show()

    def _show(self) -> None:
        self._main.bottom_bar.show()
        for zoom in self._main.screen.query(ZoomView):
            zoom.show()
