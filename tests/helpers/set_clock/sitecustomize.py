"""Sets the clock of each Python below it: it is off by as many seconds as a file says.

A folder that holds this stands in PYTHONPATH, and the file in NAGOMI_TEST_CLOCK. What counts seconds
that nobody sets, as `time.monotonic` does, goes on as it did.
"""

from __future__ import annotations

import os
import time

_seconds, _nanoseconds = time.time, time.time_ns


def _off() -> float:
    try:
        with open(os.environ["NAGOMI_TEST_CLOCK"]) as file:
            return float(file.read() or 0)
    except (KeyError, OSError):
        return 0.0


time.time = lambda: _seconds() + _off()
time.time_ns = lambda: _nanoseconds() + int(_off() * 1e9)
