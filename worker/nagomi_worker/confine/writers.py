"""Finds the processes that have files of a project open for writing."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

assert sys.platform == "linux"

from nagomi_worker.confine import freezing  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_MOST: Final = 5


class Writer(NamedTuple):
    """A process that has a file open for writing."""

    pid: int
    command: str
    path: str


def find(mounts: Collection[int]) -> list[Writer]:
    """Return some of the processes of this mount namespace that have files there open for writing.

    A process that only maps a file into memory (`mmap`) is not found.
    """
    found: list[Writer] = []
    for pid in freezing.here():
        with contextlib.suppress(OSError):
            found += [Writer(pid, _name(pid), path) for path in _written(pid, mounts)][:1]
        if len(found) == _MOST:
            break
    return found


def writes(pid: int, mounts: Collection[int]) -> bool:
    """Tell whether a process has a file of these mounts open for writing."""
    with contextlib.suppress(OSError):
        return any(_written(pid, mounts))
    return False


def _written(pid: int, mounts: Collection[int]) -> Iterator[str]:
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(OSError, ValueError):
            told = _fields(f"/proc/{pid}/fdinfo/{fd}")
            writes = int(told["flags"], 8) & os.O_ACCMODE
            if writes and int(told.get("mnt_id", "0")) in mounts:
                yield os.readlink(f"/proc/{pid}/fd/{fd}")


def _fields(path: str) -> dict[str, str]:
    with open(path) as file:
        words = (line.split(maxsplit=1) for line in file)
        return {pair[0].rstrip(":"): pair[1].strip() for pair in words if len(pair) == 2}


def _name(pid: int) -> str:
    with open(f"/proc/{pid}/comm", errors="replace") as file:
        return file.read().strip()
