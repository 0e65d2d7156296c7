"""What the worker runs on: its name, system, load and memory."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from functools import cache
from typing import Final

from nagomi_worker.wire.looks import Host

_NAME_LENGTH: Final = 100
_KB_IN_MB: Final = 1024


def host_state() -> Host:
    """Return what the worker runs on just now."""
    memory, free = _memory()
    return Host(
        name=platform.node()[:_NAME_LENGTH],
        system=_system()[:_NAME_LENGTH],
        cores=_cores(),
        load=_load(),
        memory_mb=memory,
        free_mb=free,
    )


@cache
def _system() -> str:
    """Return the distribution as it calls itself, or the system's name and release."""
    with suppress(OSError, ValueError):
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    return f"{platform.system()} {platform.release()}"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 0


def _load() -> float | None:
    if sys.platform != "win32":
        with suppress(OSError):
            return round(os.getloadavg()[0], 2)
    return None


def _memory() -> tuple[int, int]:
    """Return the memory that there is, and what of it programs may still have, in MiB; zeros if unknown."""
    told: dict[str, int] = {}
    with suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            name, _, rest = line.partition(":")
            told[name] = int(rest.split()[0]) // _KB_IN_MB
    return told.get("MemTotal", 0), told.get("MemAvailable", 0)
