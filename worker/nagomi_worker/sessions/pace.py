"""How much a session has printed lately; the caller gives the time."""

from __future__ import annotations

from typing import Final

HALF_LIFE: Final = 0.05
"""Seconds after which output counts half."""


class Pace:
    """An exponentially decaying sum of bytes.

    The size of a single read says little: at first a flood, too, is read in small pieces, before
    its writer has filled the PTY's buffer.
    """

    def __init__(self) -> None:
        self._sum = 0.0
        self._at = float("-inf")

    def add(self, size: int, now: float) -> float:
        """Return the sum after `size` more bytes."""
        self._sum = self._sum * 0.5 ** ((now - self._at) / HALF_LIFE) + size
        self._at = now
        return self._sum
