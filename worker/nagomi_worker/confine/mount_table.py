"""What is mounted where this process is, from /proc/self/mountinfo."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TABLE: Final = "/proc/self/mountinfo"
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")


class Mount(NamedTuple):
    """One mount."""

    number: int
    device: bytes
    root: str
    """The folder of the file system that is mounted."""
    path: str
    """Where it is mounted."""
    writable: bool
    """It can be written by this mount, if its file system can."""


def read() -> list[Mount]:
    """Return all mounts; of several at one path the last one is on top."""
    with open(TABLE, "rb") as file:
        return [_parsed(line) for line in file]


def parse(table: bytes) -> list[Mount]:
    """Return the mounts of such a table."""
    return [_parsed(line) for line in table.splitlines()]


def is_below(path: str, folder: str) -> bool:
    """Tell whether a path is the folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def below(mounts: Iterable[Mount], folders: Iterable[str]) -> list[Mount]:
    """Return the mounts that are at or in one of these folders."""
    chosen = tuple(folders)
    return [one for one in mounts if any(is_below(one.path, folder) for folder in chosen)]


def other_ways(mounts: list[Mount], folder: str) -> Iterator[str]:
    """Yield where else the same folder is to be found, by another mount of its file system."""
    holder = max(
        (one for one in mounts if is_below(folder, one.path)), key=lambda one: len(one.path)
    )
    inside = os.path.normpath(os.path.join(holder.root, os.path.relpath(folder, holder.path)))
    for one in mounts:
        if one.device == holder.device and is_below(inside, one.root):
            way = os.path.normpath(os.path.join(one.path, os.path.relpath(inside, one.root)))
            if way != folder:
                yield way


def _parsed(line: bytes) -> Mount:
    number, _, device, root, path, options = line.split()[:6]
    writable = b"ro" not in options.split(b",")
    return Mount(int(number), device, _plain(root), _plain(path), writable)


def _plain(field: bytes) -> str:
    """Return a field without the octal escapes of spaces and the like."""
    return os.fsdecode(_ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), field))
