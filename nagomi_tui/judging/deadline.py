"""Ends a regex search that takes too long, by a signal: Python's `re` keeps the GIL.

This works in the main thread only. In other threads a search has no limit, so its patterns are
tried in another process before (`nagomi_tui/judging/trial.py`).
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.core.judge.patterns import TooSlow

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS: Final = 0.1
"""Seconds of CPU time for one search; a sound pattern takes less than a thousandth of it."""

_until: float | None = None
"""The main thread's CPU time at which the present search is ended; None without one."""


def limited(search: Callable[[], Any]) -> Any:
    """Return the result of a search.

    Raises:
        TooSlow: it took too long and was ended.
    """
    global _until
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return search()
    if signal.getsignal(signal.SIGVTALRM) is not _ring:
        signal.signal(signal.SIGVTALRM, _ring)
    _until = time.thread_time() + SECONDS
    # The timer counts other threads, too, and so may ring again.
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, SECONDS / 2)
    try:
        return search()
    finally:
        _until = None
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _ring(_signal: int, _frame: object) -> None:
    if _until is not None and time.thread_time() >= _until:
        raise TooSlow
