"""What is typed while there is no connection."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

KEEP_KEYS_SECONDS: Final = 5.0
"""Keys typed this long before a connection came back are still sent."""
KEEP_KEYS_BYTES: Final = 9 * 1024 * 1024


class KeptKeys:
    """Lines for the socket, in the order of typing: sent all, or given up all.

    A tail without its head would be another command than the one that was typed. `on_dropped`
    hears how many were given up.
    """

    def __init__(self, on_dropped: Callable[[int], object]) -> None:
        self._on_dropped = on_dropped
        self._lines: deque[tuple[float, bytes]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._lines)

    def keep(self, line: bytes) -> None:
        """Keep a line; too many are given up."""
        self._lines.append((time.monotonic(), line))
        self._bytes += len(line)
        if self._bytes > KEEP_KEYS_BYTES:
            self._drop()

    def take(self) -> list[bytes]:
        """Return what is to be sent now, and keep it no longer; old lines are given up."""
        if self._lines and time.monotonic() - self._lines[0][0] > KEEP_KEYS_SECONDS:
            self._drop()
        lines = [line for _, line in self._lines]
        self._clear()
        return lines

    def _drop(self) -> None:
        dropped = len(self._lines)
        self._clear()
        self._on_dropped(dropped)

    def _clear(self) -> None:
        self._lines.clear()
        self._bytes = 0
