"""How much a session prints lately. Pure: it knows no clock."""

from __future__ import annotations

from typing import Final

HALF_LIFE: Final = 0.05
"""Seconds after which what was printed counts half."""


class Pace:
    """A sum of bytes that fades.

    A single read tells little: a flood is read as soon as it begins, in small pieces, while its
    writer has no time to fill the terminal's buffer.
    """

    def __init__(self) -> None:
        self._sum = 0.0
        self._at = float("-inf")

    def add(self, size: int, now: float) -> float:
        """Return the sum after `size` more bytes."""
        self._sum = self._sum * 0.5 ** ((now - self._at) / HALF_LIFE) + size
        self._at = now
        return self._sum
