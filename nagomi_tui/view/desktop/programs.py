"""Finds programs on PATH, of which a folder may be on a disk that does not answer."""

from __future__ import annotations

import shutil
from functools import partial
from threading import BoundedSemaphore
from typing import Final

from nagomi_tui import deadline_thread

_SECONDS: Final = 0.5
_slots = BoundedSemaphore(4)


def find(name: str) -> str | None:
    """Return a program's path as `shutil.which` does, or None if it is not found soon."""
    try:
        return deadline_thread.wait(partial(shutil.which, name), seconds=_SECONDS, slots=_slots)
    except TimeoutError:
        return None
