"""Collects garbage while nobody waits: a collection at the wrong moment delays the echo of a key."""

from __future__ import annotations

import gc
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

_QUIET_SECONDS: Final = 1.0
_CALM_SECONDS: Final = 6.0
"""Seconds between two checks, once there was no activity for as long."""
_MOST_SECONDS: Final = 60.0
"""Seconds after which garbage is collected even under activity; Textual leaves reference cycles."""
_SHARE: Final = 0.02
"""Most of the time that collecting may take: it is long where there are a thousand sessions."""
_THRESHOLDS: Final = (50_000, 50, 50)
_SWITCH_SECONDS: Final = 0.0005
"""Seconds for which a busy loop may keep the IO thread from running."""


def settle() -> None:
    """Exempt all that is loaded from collection; to be called once everything is mounted."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class QuietCollector:
    """Collects when there was no input and no output for a second, and there is something to do."""

    def __init__(self, loop: asyncio.AbstractEventLoop, last_activity: Callable[[], float]) -> None:
        self._loop = loop
        self._last_activity = last_activity
        self._collected = time.monotonic()
        self._handle = loop.call_later(_QUIET_SECONDS, self._first)

    def stop(self) -> None:
        """Stop collecting, and restore the interpreter's own settings."""
        self._handle.cancel()
        gc.unfreeze()
        gc.set_threshold(700, 10, 10)

    def _first(self) -> None:
        settle()
        self._again(_QUIET_SECONDS)

    def _again(self, pause: float) -> None:
        self._handle = self._loop.call_later(pause, self._look)

    def _look(self) -> None:
        now = time.monotonic()
        silence = now - self._last_activity()
        quiet = silence > _QUIET_SECONDS
        spent = 0.0
        if sum(gc.get_count()) > 2_000 and (quiet or now - self._collected > _MOST_SECONDS):
            gc.collect()
            self._collected = now
            spent = time.monotonic() - now
        pause = _CALM_SECONDS if silence > _CALM_SECONDS else _QUIET_SECONDS
        self._again(max(pause, spent / _SHARE))
