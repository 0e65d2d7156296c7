"""Quiet hours such as `22:00-07:00`, and durations such as `1h` and `90m`."""

from __future__ import annotations

import re
from typing import Final

HOURS: Final = r"^$|^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$"
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?", re.IGNORECASE)
_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
LONGEST: Final = 7 * 86400.0
"""Longest duration in seconds; for more, sound is to be turned off."""


def in_hours(hours: str, minute: int) -> bool:
    """Tell whether a minute of the day (0 to 1439) lies in the hours, which may pass midnight."""
    if not re.match(HOURS, hours) or not hours:
        return False
    begin, end = (_minute(part) for part in hours.split("-"))
    if begin <= end:
        return begin <= minute < end
    return minute >= begin or minute < end


def _minute(clock: str) -> int:
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)


def seconds(text: str) -> float | None:
    """Return a duration in seconds; a bare number is minutes, and None says that it is none."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    amount = float(match[1]) * _SECONDS[(match[2] or "m").lower()]
    return amount if 0 < amount <= LONGEST else None
