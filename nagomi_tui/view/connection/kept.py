"""Keeps what is typed while there is no connection."""

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
    """Lines for the socket, in the order of typing: either all are sent, or all are dropped.

    The end of a command without its beginning would be another command. `on_dropped` is called
    with the number of lines that were dropped.
    """

    def __init__(self, on_dropped: Callable[[int], object]) -> None:
        self._on_dropped = on_dropped
        self._lines: deque[tuple[float, bytes]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._lines)

    def keep(self, line: bytes) -> None:
        """Keep a line; if there are too many, they are dropped."""
        self._lines.append((time.monotonic(), line))
        self._bytes += len(line)
        if self._bytes > KEEP_KEYS_BYTES:
            self._drop()

    def take(self) -> list[bytes]:
        """Return the lines to be sent now, and forget them; if they are too old, they are dropped."""
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
