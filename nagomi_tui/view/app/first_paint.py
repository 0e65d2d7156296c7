"""Holds drawing back until there is something to show: an empty frame costs as much as any."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App

    from nagomi_tui.view.common.timers import Timers

_PATIENCE: Final = 0.5
"""Seconds after which the screen is drawn without the orchestrator."""


class FirstPaint:
    """Suppresses all drawing while the application mounts."""

    def __init__(self, app: App[Any], timers: Timers, *, show: Callable[[], object]) -> None:
        self._app = app
        self._timers = timers
        self._show = show
        self._held = ExitStack()

    def hold(self) -> None:
        """Suppress drawing, for half a second at most."""
        self._held.enter_context(self._app.batch_update())
        self._timers.after(_PATIENCE, self.release)

    async def release_after(self, mounted: Awaitable[None]) -> None:
        """Draw everything once the view is mounted."""
        await mounted
        self.release()
        # What depends on places is not known before they were given.
        self._app.call_after_refresh(self._show)

    def release(self) -> None:
        """Draw from now on."""
        self._held.close()
