"""Whether a clock that others set can be believed before anything is deleted by it."""

from __future__ import annotations

from typing import Final

import msgspec

_DAY: Final = 86_400.0
_STEP: Final = 2 * _DAY
"""So far it may have gone on since it was last looked at; more may be a jump."""
_FAR: Final = 30 * _DAY
"""The same for one that is doubted already, so that who comes once a week is believed again."""


class Clock(msgspec.Struct, frozen=True):
    """What the clock showed when it was last looked at; seconds since the epoch.

    After a jump, or a long time in which nobody looked, it is doubted for a day: a clock that was
    wrong for some hours has deleted nothing by then.
    """

    seen: float
    doubted: float | None = None
    """Since when, by itself, it is doubted."""

    def looked(self, now: float) -> Clock:
        """Return what is known after another look."""
        gap = now - self.seen
        if self.doubted is None:
            return Clock(now, now if gap > _STEP else None)
        if gap > _FAR:
            return Clock(now, now)
        back, believed = now < self.doubted, now - self.doubted >= _DAY
        return Clock(now, None if back or believed else self.doubted)
