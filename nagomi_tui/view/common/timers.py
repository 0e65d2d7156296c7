"""Delayed calls on Textual's event loop, which are dropped once the application ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.timer import Timer


SETTLE_SECONDS: Final = 0.6
"""For so long after a question came up a key is meant for what stood there before."""


class Timers:
    """The timers of an application.

    Textual's own may still fire while the widgets that they use are being removed; these do not.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    def after(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Do `work` once, in so many seconds."""
        return self._app.set_timer(seconds, self.guarded(work))

    def every(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Call `work` every `seconds`, until the timer is stopped."""
        return self._app.set_interval(seconds, self.guarded(work))

    def after_refresh(self, work: Callable[[], object]) -> None:
        """Call `work` once, when everything that has changed is drawn."""
        self._app.call_after_refresh(self.guarded(work))

    def guarded(self, work: Callable[[], object]) -> Callable[[], None]:
        """Return a function that calls `work`, and does nothing once the application ends."""

        def do() -> None:
            if self._app.is_running and self._app.screen_stack:
                work()

        return do
