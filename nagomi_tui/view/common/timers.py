"""Work for later on Textual's loop, left undone once the application ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App


class Timer(Protocol):
    """Something that waits for its time."""

    def stop(self) -> None:
        """Wait no longer."""


class Timers(Protocol):
    """Does something once, after a time."""

    def after(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Do `work` once, in so many seconds."""


class AppTimers:
    """An application's timers.

    Textual's own go on for a moment while the widgets are taken away on which their work would be
    done.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    def after(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Do `work` once, in so many seconds."""
        return self._app.set_timer(seconds, self.guarded(work))

    def every(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Do `work` again and again, each time after so many seconds."""
        return self._app.set_interval(seconds, self.guarded(work))

    def after_refresh(self, work: Callable[[], object]) -> None:
        """Do `work` once, when everything that has changed is drawn."""
        self._app.call_after_refresh(self.guarded(work))

    def guarded(self, work: Callable[[], object]) -> Callable[[], None]:
        """Return `work` as something that does nothing once the application ends."""

        def do() -> None:
            if self._app.is_running and self._app.screen_stack:
                work()

        return do
