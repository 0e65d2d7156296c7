"""Aligns periodic work of all parts to the same moments, since each wake-up costs."""

from __future__ import annotations

import time
from typing import Final

import anyio

REACH_SECONDS: Final = 3.0
"""Seconds within which a deleted socket is found or made anew; less than a start waits for it."""


async def next_pulse(seconds: float) -> None:
    """Sleep until the clock shows a multiple of `seconds`, the same for all callers."""
    await anyio.sleep(seconds - time.monotonic() % seconds)
