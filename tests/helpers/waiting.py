"""Waiting until something has happened; `pyproject.toml` has only such a wait tried once more."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 30.0
_PAUSE = 0.005


def until(look: Callable[[], Any], what: str = "", *, patience: float = PATIENCE) -> Any:
    """Return what `look` finds as soon as it finds anything; `what` names it where it does not."""
    deadline = time.monotonic() + patience
    while not (found := look()):
        assert time.monotonic() < deadline, _late(what)
        time.sleep(_PAUSE)
    return found


def in_time(look: Callable[[], object], seconds: float = 3.0) -> bool:
    """Tell whether `look` finds anything within some seconds."""
    deadline = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    return bool(found)


async def soon(look: Callable[[], Any], what: str = "") -> Any:
    """Do as `until` does, and let other tasks run meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, _late(what)
        await asyncio.sleep(_PAUSE)
    return found


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be reaped does not."""
    try:
        return bool(psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD))
    except psutil.NoSuchProcess:
        return False


def _late(what: str) -> str:
    return f"{what}: it did not happen in time" if what else "it did not happen in time"
