"""Returns freed memory to the system, which glibc would keep."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress


def give_back() -> None:
    """Return freed memory to the system: about a millisecond with glibc, else nothing."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
