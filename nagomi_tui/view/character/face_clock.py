"""Lets faces rest when their time is over, with one timer that sleeps in between."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.timer import Timer

    from nagomi_tui.view.character.faces import Faces


class FaceClock:
    """Wakes up for the next face that changes by itself; with none it costs nothing."""

    def __init__(self, app: App[str], faces: Faces, changed: Callable[[], object]) -> None:
        self._app = app
        self._faces = faces
        self._changed = changed
        self._timer: Timer | None = None
        self._at = 0.0

    def plan(self) -> None:
        """Wake up when the next face changes."""
        at = self._faces.next_change()
        if self._timer is not None:
            if at == self._at:
                return
            self._timer.stop()
            self._timer = None
        if at is not None:
            self._at = at
            self._timer = self._app.set_timer(max(0.01, at - time.monotonic()), self._due)

    def _due(self) -> None:
        self._timer = None
        self._faces.settle(time.monotonic())
        self._changed()
        self.plan()
