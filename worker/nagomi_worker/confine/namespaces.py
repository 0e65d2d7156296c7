"""The two namespaces around a guarded session.

The outer user namespace owns the mounts: whoever is in it can change them. The session's programs
run in an inner one, in which they have the same user and no power over these mounts.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

assert sys.platform == "linux"

from nagomi_worker.confine import kernel  # noqa: E402 (nothing elsewhere)


class Namespaces(NamedTuple):
    """The outer user namespace and its mounts, as open descriptors."""

    user: int
    mounts: int

    def enter(self) -> None:
        """Move this process, which must have one thread only, to where mounts can be changed.

        Raises:
            OSError: the kernel refuses it.
        """
        kernel.enter(self.user, kernel.NEW_USER)
        kernel.enter(self.mounts, kernel.NEW_MOUNTS)

    def confine(self) -> None:
        """Move this process to where it sees the mounts and cannot change them, for good.

        Its folder is then the root folder, since the one before may lie outside of the mounts.

        Raises:
            OSError: the kernel refuses it.
        """
        user, group = os.geteuid(), os.getegid()
        self.enter()
        self.close()
        kernel.unshare(kernel.NEW_USER)
        _map(user, group)
        kernel.give_up_privileges()

    def close(self) -> None:
        """Close both; the namespaces last as long as a process is in them."""
        os.close(self.user)
        os.close(self.mounts)


def make() -> None:
    """Move this process, which must have one thread only, into new namespaces, the outer ones.

    Raises:
        OSError: the kernel refuses it.
    """
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_USER | kernel.NEW_MOUNTS)
    _map(user, group)
    kernel.make_private()


def own() -> Namespaces:
    """Open the namespaces that this process is in."""
    flags = os.O_RDONLY | os.O_CLOEXEC
    return Namespaces(os.open("/proc/self/ns/user", flags), os.open("/proc/self/ns/mnt", flags))


def _map(user: int, group: int) -> None:
    """Have this user and group be themselves here; all others are seen as nobody's."""
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
