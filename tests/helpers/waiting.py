"""Waiting until something has happened; `pyproject.toml` has only such a wait tried once more."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 30.0


def _pause(began: float) -> float:
    """Return for how long to wait before the next look: a look costs time that others need.

    What has not come soon is looked at more seldom, 20 times a second in the end.
    """
    return min(0.05, max(0.005, (time.monotonic() - began) / 20))


def until(look: Callable[[], Any], what: str = "", *, patience: float = PATIENCE) -> Any:
    """Return what `look` finds as soon as it finds anything; `what` names it where it does not."""
    began = time.monotonic()
    while not (found := look()):
        assert time.monotonic() < began + patience, _late(what)
        time.sleep(_pause(began))
    return found


def in_time(look: Callable[[], object], seconds: float = 3.0) -> bool:
    """Tell whether `look` finds anything within some seconds."""
    began = time.monotonic()
    while not (found := look()) and time.monotonic() < began + seconds:
        time.sleep(_pause(began))
    return bool(found)


async def soon(look: Callable[[], Any], what: str = "") -> Any:
    """Do as `until` does, and let other tasks run meanwhile."""
    began = time.monotonic()
    while not (found := look()):
        assert time.monotonic() < began + PATIENCE, _late(what)
        await asyncio.sleep(_pause(began))
    return found


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be reaped does not."""
    try:
        return bool(psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD))
    except psutil.NoSuchProcess:
        return False


def _late(what: str) -> str:
    return f"{what}: it did not happen in time" if what else "it did not happen in time"
