"""Which kind of file system a folder is on, as the kernel's table of mounts tells."""

from __future__ import annotations

import os
import sys

_MOUNTS = "/proc/self/mountinfo"
_LOCAL = frozenset(
    ["apfs", "bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs"]
    + ["overlay", "ramfs", "reiserfs", "tmpfs", "ufs", "xfs", "zfs"]
)
"""Types that can hold Unix sockets and are local to this machine."""
_UNTOLD = "untold"
"""Stands for the type of what the table does not list."""
_ESCAPES = {r"\040": " ", r"\011": "\t", r"\012": "\n", r"\134": "\\"}


def holds_sockets(folder: str, mounts: str = _MOUNTS) -> bool:
    """Tell whether a folder can hold Unix sockets: not on a network or a Windows drive.

    False where that is unknown, as on other systems than Linux. In a `chroot` the table leaves out
    what its root is on; that is a disk of this machine where it has a device.
    """
    kind = _kind(os.path.realpath(folder), mounts)
    if kind == _UNTOLD and sys.platform != "win32":
        return os.major(os.stat("/").st_dev) != 0
    return kind in _LOCAL


def _kind(path: str, mounts: str) -> str:
    """Return the type of the innermost file system that the path is on; the last mount counts."""
    found, depth = "", -1
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as table:
            for line in table:
                place, kind = _entry(line)
                if len(place) >= depth and f"{path}/".startswith(place):
                    found, depth = kind, len(place)
    except OSError:
        return ""
    return found or _UNTOLD


def _entry(line: str) -> tuple[str, str]:
    """Return where a line of the table mounts something, with a slash at its end, and what kind."""
    mounted, _, source = line.partition(" - ")
    place = mounted.split(" ")[4]
    for escape, char in _ESCAPES.items():
        place = place.replace(escape, char)
    return place.rstrip("/") + "/", source.split(" ")[0]
