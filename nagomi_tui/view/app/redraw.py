"""Redraws after changes, within a bounded share of the loop's time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.common.timers import Timers

_REST: Final = 3.0
"""Pause after a redraw, as a multiple of the time that it took."""


class Redraw:
    """Calls `show` at once, or after the pause: then once for all changes until then."""

    def __init__(
        self,
        timers: Timers,
        show: Callable[[], object],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timers = timers
        self._show = show
        self._clock = clock
        self._planned = False
        self._rests_until = float("-inf")

    def soon(self) -> None:
        """Call `show` as soon as the pause allows."""
        wait = self._rests_until - self._clock()
        if wait <= 0:
            self._now()
        elif not self._planned:
            self._planned = True
            self._timers.after(wait, self._now)

    def _now(self) -> None:
        self._planned = False
        began = self._clock()
        self._show()
        now = self._clock()
        self._rests_until = now + _REST * (now - began)
