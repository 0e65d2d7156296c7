"""Shows what has changed, but spends no more than a part of our time on it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.common.timers import Timers

_REST: Final = 3.0
"""How many times as long as showing took, nothing is shown again."""


class Redraw:
    """Calls `show` at once, or, soon after the last time, later: once for all changes until then."""

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
        """Show how things are now, as soon as it may be."""
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
