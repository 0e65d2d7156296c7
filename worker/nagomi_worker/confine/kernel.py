"""System calls of Linux for namespaces and mounts, and the two namespaces of a strict session.

Each call raises `OSError` with the path that it was about.

The outer user namespace owns the mounts: whoever is in it can change them. The session's programs
run in an inner one, in which they have the same user and no power over these mounts.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final, NamedTuple

assert sys.platform == "linux"


NEW_USER: Final = 0x10000000
NEW_MOUNTS: Final = 0x00020000

_DETACH: Final = 2
_NO_LINK: Final = 8
_BIND: Final = 4096
_RECURSIVE: Final = 16384
_SLAVE: Final = 1 << 19

_READ_ONLY: Final = 1
"""`MOUNT_ATTR_RDONLY` of <linux/mount.h>."""
_NO_SYMLINKS: Final = 0x04
"""`RESOLVE_NO_SYMLINKS` of <linux/openat2.h>."""

_MOUNT_SETATTR: Final = 442
"""Its number on every architecture but Alpha, as of `openat2`; from Linux 5.12 on."""
_OPENAT2: Final = 437
_HERE: Final = -100
"""`AT_FDCWD`."""

_SET_SECUREBITS: Final = 28
_DROP_FROM_BOUNDING_SET: Final = 24
_SET_NO_NEW_PRIVILEGES: Final = 38
_MOST_CAPABILITIES: Final = 64
_NO_ROOT_LOCKED: Final = 0b11
"""User 0 gets no capabilities by running a program, and nothing changes that."""

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


class _HowToOpen(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def unshare(kinds: int) -> None:
    """Move this process into new namespaces."""
    _check(_libc.unshare(kinds), "unshare")


def enter(fd: int, kind: int) -> None:
    """Move this process into the namespace behind a descriptor."""
    _check(_libc.setns(fd, kind), "setns")


def make_private() -> None:
    """Let no mount that is made here be seen elsewhere; what is mounted outside comes in."""
    _check(_libc.mount(None, b"/", None, _RECURSIVE | _SLAVE, None), "/")


def bind(path: str) -> None:
    """Mount what lies at a path onto itself, with all that is mounted below.

    Nothing happens by way of a symbolic link: whoever may write here could lead us elsewhere.
    """
    fd = _open_without_links(path)
    try:
        place = f"/proc/self/fd/{fd}".encode()
        _check(_libc.mount(place, place, None, _BIND | _RECURSIVE, None), path)
    finally:
        os.close(fd)


def unmount(path: str) -> None:
    """Take away the topmost mount at a path, with all that is mounted below."""
    _check(_libc.umount2(os.fsencode(path), _DETACH | _NO_LINK), path)


def cover(path: str, size: str = "4k") -> None:
    """Mount an empty folder over one, which can hold so much in memory."""
    options = f"mode=0700,size={size}".encode()
    _check(_libc.mount(b"none", os.fsencode(path), b"tmpfs", 0, options), path)


def bring(fd: int, path: str) -> None:
    """Mount the open file onto a new one at a path."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    source = f"/proc/self/fd/{fd}".encode()
    _check(_libc.mount(source, os.fsencode(path), None, _BIND, None), path)


def set_writable(path: str, writable: bool) -> None:
    """Make the mount at a path writable or read-only, and leave those below it as they are.

    Raises:
        OSError: with EBUSY where something has a file open for writing.
    """
    wanted = _MountAttributes(clear=_READ_ONLY) if writable else _MountAttributes(set=_READ_ONLY)
    _check(
        _libc.syscall(
            _MOUNT_SETATTR,
            ctypes.c_int(_HERE),
            ctypes.c_char_p(os.fsencode(path)),
            ctypes.c_uint(0),
            ctypes.byref(wanted),
            ctypes.c_size_t(ctypes.sizeof(wanted)),
        ),
        path,
    )


def give_up_privileges() -> None:
    """Keep no capability beyond the next program, and let none be had by running one."""
    _check(_libc.prctl(_SET_SECUREBITS, _NO_ROOT_LOCKED, 0, 0, 0), "securebits")
    for number in range(_MOST_CAPABILITIES):
        if _libc.prctl(_DROP_FROM_BOUNDING_SET, number, 0, 0, 0):
            break
    _check(_libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")


def _open_without_links(path: str) -> int:
    how = _HowToOpen(flags=os.O_PATH | os.O_CLOEXEC, resolve=_NO_SYMLINKS)
    fd: int = _libc.syscall(
        _OPENAT2,
        ctypes.c_int(_HERE),
        ctypes.c_char_p(os.fsencode(path)),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    _check(fd, path)
    return fd


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


class Namespaces(NamedTuple):
    """The outer user namespace and its mounts, as open descriptors."""

    user: int
    mounts: int

    def enter(self) -> None:
        """Move this process, which must have one thread only, to where mounts can be changed.

        Raises:
            OSError: the kernel refuses it.
        """
        enter(self.user, NEW_USER)
        enter(self.mounts, NEW_MOUNTS)

    def confine(self) -> None:
        """Move this process to where it sees the mounts and cannot change them, for good.

        Its folder is then the root folder, since the one before may lie outside of the mounts.

        Raises:
            OSError: the kernel refuses it.
        """
        user, group = os.geteuid(), os.getegid()
        self.enter()
        self.close()
        unshare(NEW_USER)
        _map(user, group)
        give_up_privileges()

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
    unshare(NEW_USER | NEW_MOUNTS)
    _map(user, group)
    make_private()


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
