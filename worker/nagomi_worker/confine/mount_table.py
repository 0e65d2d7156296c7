"""What is mounted where this process is, from /proc/self/mountinfo."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

TABLE: Final = "/proc/self/mountinfo"
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")


class Mount(NamedTuple):
    """One mount."""

    number: int
    parent: int
    """The mount that it is mounted on; it may lie outside of what this process sees."""
    device: bytes
    root: str
    """The folder of the file system that is mounted."""
    path: str
    """Where it is mounted."""
    writable: bool
    """It can be written by this mount, if its file system can."""


def read() -> list[Mount]:
    """Return all mounts, also those that others are mounted over."""
    with open(TABLE, "rb") as file:
        return [_parsed(line) for line in file]


def parse(table: bytes) -> list[Mount]:
    """Return the mounts of such a table."""
    return [_parsed(line) for line in table.splitlines()]


def reachable(mounts: list[Mount]) -> list[Mount]:
    """Return the mounts that a program finds at their paths, since none is mounted over them.

    A mount over a folder hides all that was mounted on this folder, or in it, before.
    """
    known = {one.number: one for one in mounts}
    places = {(one.parent, one.path) for one in mounts if one.parent != one.number}

    def is_found(mount: Mount) -> bool:
        parent = known.get(mount.parent)
        if parent is None or parent is mount:
            return True
        return is_found(parent) and not any(
            (parent.number, folder) in places for folder in above(mount.path)
        )

    return [one for one in mounts if (one.number, one.path) not in places and is_found(one)]


def above(path: str) -> Iterator[str]:
    """Yield the folders that a path lies in, the root folder last."""
    while path not in ("", "/"):
        path = os.path.dirname(path)
        yield path


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
    number, parent, device, root, path, options = line.split()[:6]
    writable = b"ro" not in options.split(b",")
    return Mount(int(number), int(parent), device, _plain(root), _plain(path), writable)


def _plain(field: bytes) -> str:
    """Return a field without the octal escapes of spaces and the like."""
    return os.fsdecode(_ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), field))
