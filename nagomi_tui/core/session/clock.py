"""Tells whether the system clock can be trusted before old data is deleted by it."""

from __future__ import annotations

from typing import Final

import msgspec

_DAY: Final = 86_400.0
_STEP: Final = 2 * _DAY
"""Seconds that the clock may have advanced since it was last read; more counts as a jump."""
_FAR: Final = 30 * _DAY
"""The same while the clock is doubted, so that weekly use ends the doubt."""


class Clock(msgspec.Struct, frozen=True):
    """What the clock showed when it was last read, in seconds since the epoch.

    After a jump, or a long time without a reading, it is doubted for a day, so that a clock that
    is wrong for some hours deletes nothing.
    """

    seen: float
    doubted: float | None = None
    """Since when it is doubted, on this very clock; None if it is trusted."""

    def looked(self, now: float) -> Clock:
        """Return the value after another reading, `now`."""
        gap = now - self.seen
        if self.doubted is None:
            return Clock(now, now if gap > _STEP else None)
        if gap > _FAR:
            return Clock(now, now)
        back, believed = now < self.doubted, now - self.doubted >= _DAY
        return Clock(now, None if back or believed else self.doubted)
