"""What the bottom bar tells beside sessions: sentences for a while, and how the resident agent stands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Literal

from textual.notifications import Notification

from nagomi_tui.text.cells import cells, printable
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.screens.state import SAYS_SECONDS, ViewName
from nagomi_tui.view.screens.zoom_view import ZoomView

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.timer import Timer

    from nagomi_tui.api.messages import Agent
    from nagomi_tui.view.common.timers import Timers
    from nagomi_tui.view.notices.toasts import Toasts
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState

MESSAGE_SECONDS: Final = 3.0
"""Seconds for which a sentence stays in the bar; a long one stays until it can have been read."""
_CELLS_A_SECOND: Final = 20
_OVER_SECONDS: Final = 10.0
"""Seconds for which one stays that is shown as a toast."""
_EDGES: Final = 6


class StatusMessages:
    """Shows one sentence at a time in a bar, or as a toast if both bars are hidden.

    Errors are never lost: one that the bar cuts, or the next sentence replaces, becomes a toast.
    All can be read again.
    """

    def __init__(
        self, app: App[Any], main: MainScreen, bar: AppState, timers: Timers, toasts: Toasts
    ) -> None:
        self._app = app
        self._main = main
        self._bar = bar
        self._timers = timers
        self._toasts = toasts
        self._timer: Timer | None = None
        self._pointed = ""
        self._over: Notification | None = None
        """The toast that was shown last."""

    def tell(self, text: str, *, error: bool = False, session: str = "") -> None:
        """Show a sentence in place of the one before; `session` is the id of the one it is about."""
        bar = self._bar
        bar.note(text, session)
        unread = bar.message if error and bar.message_is_error and bar.message != text else ""
        if unread:
            self._show_over(unread, error=True)
        if (bar.zoomed and bar.bare) or (error and cells(text) > self._app.size.width - _EDGES):
            self._show_over(text, error=error)
        self.show_in_bar(text, error=error)

    def show_in_bar(self, text: str, *, error: bool = False) -> None:
        """Show a sentence in the bar alone, which nobody needs to read again."""
        self._bar.message, self._bar.message_is_error = text, error
        if self._timer is not None:
            self._timer.stop()
        seconds = max(MESSAGE_SECONDS, cells(text) / _CELLS_A_SECOND)
        self._timer = self._timers.after(seconds, self._forget)
        self._show()

    def _show_over(self, text: str, *, error: bool) -> None:
        severity: Literal["error", "information"] = "error" if error else "information"
        self._over = Notification(text, severity=severity, timeout=_OVER_SECONDS, markup=False)
        self._toasts.show(self._over)

    def take_back(self, text: str) -> None:
        """Show a sentence no longer, since what it tells of is settled."""
        if self._over is not None and self._over.message == text:
            self._toasts.drop(self._over)
        if text and self._bar.message == text:
            self._forget()

    def point(self, target: str) -> None:
        """Show where the link under the mouse leads, or no longer if ""; an error stays."""
        bar = self._bar
        if bar.message and bar.message_is_error:
            return
        if not (bar.zoomed and bar.bare) and target:
            self._pointed = tr("Ctrl+click opens {target}", target=printable(target))
            self.show_in_bar(self._pointed)
        elif bar.message and bar.message == self._pointed:
            self._forget()

    def _forget(self) -> None:
        self._bar.message = ""
        self._show()

    def _show(self) -> None:
        self._main.bottom_bar.show()
        for zoom in self._main.screen.query(ZoomView):
            zoom.show()


class AgentStatus:
    """Shows the agent's mode, and its sentence where no balloon does."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        *,
        after: Callable[[float, Callable[[], object]], object],
        tell: Callable[..., object],
    ) -> None:
        self._main = main
        self._state = state
        self._after = after
        """Calls a function some seconds later."""
        self._tell = tell
        """Shows the user a sentence."""
        self._said_at = 0.0
        """When the agent said what was shown last, in seconds since the epoch."""

    def heard(self, agent: Agent) -> None:
        """The agent stands in another way, or has said something."""
        self._main.bottom_bar.show()
        self._main.show_faces()
        if agent.said_at != self._said_at:
            self._said_at = agent.said_at
            says = self._state.agent_says(time.time())
            if says and self._state.view is not ViewName.CHAT:
                self._tell(printable(says))
            self._after(SAYS_SECONDS, self._main.show_faces)
