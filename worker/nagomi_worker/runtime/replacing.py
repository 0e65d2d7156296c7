"""Puts a finished file in the place of another one."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE: Final = 1.0 if sys.platform == "win32" else 0.0
"""Seconds for which Windows may keep a file from being replaced, since somebody reads it."""
_PAUSE: Final = 0.01


def replace(spare: Path | str, path: Path | str, *, patience: float = _PATIENCE) -> None:
    """Have `spare` take the place of `path`.

    Raises:
        OSError: it cannot; both are as they were.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            os.replace(spare, path)
        except PermissionError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return
