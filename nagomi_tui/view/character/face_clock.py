"""Redraws faces that change by themselves, by a single timer for all sessions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.character.faces import Faces
    from nagomi_tui.view.common.timers import Timer, Timers


class FaceClock:
    """Wakes up when the next face changes; without one it has no timer."""

    def __init__(self, timers: Timers, faces: Faces, changed: Callable[[], object]) -> None:
        self._timers = timers
        self._faces = faces
        self._changed = changed
        self._timer: Timer | None = None
        self._at = 0.0

    def plan(self) -> None:
        """Set the timer for the next face that changes."""
        at = self._faces.next_change()
        if self._timer is not None:
            if at == self._at:
                return
            self._timer.stop()
            self._timer = None
        if at is not None:
            self._at = at
            self._timer = self._timers.after(max(0.01, at - time.monotonic()), self._due)

    def _due(self) -> None:
        self._timer = None
        self._faces.settle(time.monotonic())
        self._changed()
        self.plan()
