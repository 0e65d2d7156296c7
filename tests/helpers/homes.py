"""Where tests keep the state of workplaces: in memory, where there is room for it.

A disk takes some ten milliseconds for what must outlast a crash of the machine, and for each folder
that is taken away while another one is written down.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

_MEMORY: Final = "/dev/shm"
_ROOM: Final = 1 << 30


def _takes_homes(folder: str) -> bool:
    """Tell whether programs may be written there and run, and a gigabyte is free."""
    try:
        found = os.statvfs(folder)
    except (AttributeError, OSError):
        return False
    runs = not found.f_flag & os.ST_NOEXEC
    return runs and os.access(folder, os.W_OK) and found.f_bavail * found.f_frsize >= _ROOM


HOMES: Final = _MEMORY if _takes_homes(_MEMORY) else "/tmp"


def new_home() -> Path:
    """Make an empty folder whose path is short: a socket's may hold 107 bytes."""
    return Path(tempfile.mkdtemp(prefix="ng", dir=HOMES))
