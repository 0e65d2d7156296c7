"""Writes bytes to the terminal, and slows down where the line to it is slow.

A network line takes megabytes before it says that it is slow, so only an answer from the terminal
itself tells what has arrived. The number of unanswered frames follows the line: it halves when
answers take much longer than they did at best, and grows while they do not.
"""

from __future__ import annotations

import os
import re
import select
import time
from collections import deque
from typing import Final

from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.view.common.io_thread import WRITE
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.driver.modes import STATUS_QUERY

_PIECE: Final = 64 * 1024


class TerminalWriter:
    """The only writer to the terminal. `write` and `behind` are used under `link.lock`."""

    def __init__(self, fd: int, link: Link) -> None:
        self._link = link
        self._fd = _own_description(fd)
        self._waiting: deque[bytes] = deque()
        self._watched = False
        self._gone = False

    @property
    def behind(self) -> bool:
        """Whether the terminal has not taken everything yet."""
        return bool(self._waiting)

    def write(self, data: bytes) -> None:
        """Write now what the terminal takes; the rest follows as soon as it takes more."""
        if not data or self._gone:
            return
        self._waiting.append(data)
        if len(self._waiting) == 1:
            self._flush()
        if self._waiting and not self._watched:
            self._watched = True
            self._link.io.call(self._watch)

    def finish(self, seconds: float) -> None:
        """Write everything, as far as the terminal takes it within `seconds`."""
        deadline = time.monotonic() + seconds
        while self._waiting and not self._gone and (left := deadline - time.monotonic()) > 0:
            select.select([], [self._fd], [], left)
            self._flush()

    def close(self) -> None:
        """Give the terminal back; called when the IO thread no longer watches it."""
        if not self._gone:
            self._gone = True
            os.close(self._fd)

    def unwatch(self) -> None:
        """Wait for the terminal no longer; in the IO thread."""
        self._link.io.unwatch(self._fd)
        self._watched = False

    def _watch(self) -> None:
        if not self._gone:
            self._link.io.watch(self._fd, WRITE, self._ready)

    def _ready(self, _events: int) -> None:
        with self._link.lock:
            self._flush()
            if not self._waiting:
                self.unwatch()

    def _flush(self) -> None:
        while self._waiting:
            data = self._waiting[0]
            try:
                written = os.write(self._fd, data[:_PIECE])
            except BlockingIOError:
                return
            except OSError:
                # The terminal was closed. Whoever reads from it hears so too.
                self._waiting.clear()
                return
            if written < len(data):
                self._waiting[0] = data[written:]
            else:
                self._waiting.popleft()


def _own_description(fd: int) -> int:
    """Return the terminal opened anew: non-blocking mode concerns all who share a description."""
    if WINDOWS:
        return os.dup(fd)
    try:
        return os.open(os.ttyname(fd), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return os.dup(fd)


_START: Final = 2.0
_MOST: Final = 8.0
_URGENT: Final = 2
"""Frames by which the echo of a key may exceed the window."""
_SILENT_SECONDS: Final = 2.0
"""Seconds without any reply after which a terminal counts as one that never replies."""
_STALLED_SECONDS: Final = 5.0
_BYTES_A_SECOND: Final = 200_000
"""Bytes a second that are written to terminals that never reply."""


_LINK: Final = re.compile(r"\x1b\]8;;([^\x1b]*)\x1b\\")
_LINKS_AT_ONCE: Final = 32 * 1024
_LINKS_A_SECOND: Final = 16 * 1024
"""Bytes of addresses that are written: each run of cells that is drawn anew names its link again."""


class LinkBudget:
    """Leaves links out of frames, but not their text, where their addresses are most of the output."""

    def __init__(self) -> None:
        self._room = float(_LINKS_AT_ONCE)
        self._at = 0.0

    def applied(self, frame: str, now: float) -> str:
        """Return a frame with as many of its links as there is room for now."""
        if "\x1b]8;;" not in frame:
            return frame
        self._room = min(_LINKS_AT_ONCE, self._room + (now - self._at) * _LINKS_A_SECOND)
        self._at = now
        return _LINK.sub(self._kept, frame)

    def _kept(self, link: re.Match[str]) -> str:
        size = len(link[0]) if link[1] else 0
        if size > self._room:
            return ""
        self._room -= size
        return link[0]


class FramePace:
    """Decides whether the next frame may be written. Each method is given the time in seconds."""

    def __init__(self) -> None:
        self._asked: deque[float] = deque()
        self._window = _START
        self._best = 0.0
        self._answers = 0
        self._mute = False
        self._credit = float(_BYTES_A_SECOND)
        self._credited: float | None = None
        self._held_back = False

    @property
    def window(self) -> int:
        return int(self._window)

    def may_paint(self, now: float, *, urgent: bool = False) -> bool:
        """Return whether a frame may go now; the echo of a key is urgent."""
        if self._mute:
            return urgent or self._refill(now) > 0
        self._give_up(now)
        free = self.window + (_URGENT if urgent else 0)
        may = len(self._asked) < free
        self._held_back = self._held_back or not may
        return may

    def painted(self, now: float, size: int) -> str:
        """Note a frame of `size` bytes; return the query to be put at its end."""
        if self._mute:
            self._credit -= size
            return ""
        self._asked.append(now)
        return STATUS_QUERY

    def answered(self, now: float) -> float | None:
        """Note a reply; return the seconds that it took, or None if no query was open."""
        if not self._asked:
            return None
        trip = now - self._asked.popleft()
        self._answers += 1
        self._best = trip if self._answers == 1 else min(self._best * 1.001, trip)
        if trip > 2 * self._best + 0.03:
            self._window = max(1.0, self._window / 2)
        elif self._held_back and trip < 1.25 * self._best + 0.01:
            self._window = min(_MOST, self._window + 1 / self._window)
        self._held_back = False
        return trip

    def _give_up(self, now: float) -> None:
        """Wait no longer for answers that do not come."""
        if not self._asked:
            return
        waited = now - self._asked[0]
        if not self._answers and waited > _SILENT_SECONDS:
            self._mute = True
            self._asked.clear()
        elif waited > _STALLED_SECONDS:
            self._asked.clear()
            self._window = 1.0

    def _refill(self, now: float) -> float:
        passed = now - self._credited if self._credited is not None else 0.0
        self._credited = now
        self._credit = min(_BYTES_A_SECOND, self._credit + passed * _BYTES_A_SECOND)
        return self._credit
