"""Whom a socket and its folder are trusted to: this user alone, by what the kernel tells.

`nagomi_tui/event.py`, which may import nothing of ours, says the same in lines of its own.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys

TYPE_CHECKING = False  # typing and contextlib would cost a start more than all this
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Kind: TypeAlias = Literal["link", "file", "owner", "open", "peer"]

_OPEN = 0o077
_NAMELESS = 65534
"""Whom every user looks like that has no number in a user namespace."""
_EVERYBODY = ["0", "0", "4294967295"]


class Untrusted(OSError):
    """Another user could listen here, or read along; nothing was said."""

    def __init__(self, kind: Kind, place: str, uid: int, mode: int = 0) -> None:
        super().__init__(f"{place} is not to be trusted ({kind}, user {uid}, mode {mode:o})")
        self.kind = kind
        self.place = place
        self.uid = uid
        self.mode = mode


def me() -> int:
    """Return this process's own user."""
    if sys.platform == "win32":
        return -1
    return os.geteuid()


def is_ours(uid: int) -> bool:
    """Tell whether a number of a user, as the kernel tells it to us, is this process's own."""
    return sys.platform == "win32" or (
        uid == os.geteuid() and (uid != _NAMELESS or _has_everybody())
    )


def check_folder(folder: str) -> None:
    """Return if nobody else can look into this folder, or have put anything there.

    Raises:
        Untrusted: somebody can.
        OSError: there is none.
    """
    if sys.platform == "win32":
        return
    found = os.lstat(folder)
    if stat.S_ISLNK(found.st_mode):
        raise Untrusted("link", folder, found.st_uid)
    if not stat.S_ISDIR(found.st_mode):
        raise Untrusted("file", folder, found.st_uid)
    if not is_ours(found.st_uid):
        raise Untrusted("owner", folder, found.st_uid)
    if found.st_mode & _OPEN:
        raise Untrusted("open", folder, found.st_uid, stat.S_IMODE(found.st_mode))


def check_place(path: str) -> None:
    """Return if the folder of the socket at `path`, and the one above it, are ours alone.

    Raises:
        Untrusted: one of them is not.
        OSError: one of them does not exist.
    """
    folder = os.path.dirname(path)
    check_folder(os.path.dirname(folder))
    check_folder(folder)


def check_peer(connection: socket.socket, path: str = "") -> None:
    """Return if a process of ours is at the other end.

    Raises:
        Untrusted: it is another user's, root's too.
        OSError: nobody is there.
    """
    if sys.platform != "win32" and not is_ours(uid := peer_uid(connection)):
        raise Untrusted("peer", path, uid)


def peer_uid(connection: socket.socket) -> int:
    """Return the user of the process that has connected, or that listens.

    Raises:
        OSError: nobody is there.
    """
    if sys.platform == "linux":
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int(struct.unpack("iII", told)[1])
    # SOL_LOCAL and LOCAL_PEERCRED of macOS and the BSDs: a `struct xucred`.
    return int(struct.unpack_from("II", connection.getsockopt(0, 1, 256))[1])


def connect(path: str, timeout: float | None = None) -> socket.socket:
    """Return a connection to a process of ours that listens at `path`, in folders of ours.

    Raises:
        Untrusted: the folders or the process are another user's.
        OSError: nobody listens there.
    """
    if sys.platform == "win32":
        raise OSError("there are no Unix sockets on native Windows")
    check_place(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect(path)
        check_peer(connection, path)
    except OSError:
        connection.close()
        raise
    return connection


def make_private(folder: str) -> None:
    """Make a folder that only its owner can enter; those above it are made alike.

    Raises:
        Untrusted: it is a symbolic link, or another user's.
        OSError: it cannot be made.
    """
    if not os.path.isdir(above := os.path.dirname(folder)):
        make_private(above)
    try:  # noqa: SIM105, since contextlib takes its time to load
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    try:
        check_folder(folder)
    except Untrusted as exc:
        if exc.kind != "open":
            raise
        _shut(folder)
        check_folder(folder)


def _shut(folder: str) -> None:
    """Take what others may do with a folder of ours away, whatever is at its path by now."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        os.fchmod(fd, 0o700)
    finally:
        os.close(fd)


def _has_everybody() -> bool:
    """Tell whether each user has a number here, so that nobody looks like another one."""
    try:
        with open("/proc/self/uid_map") as told:
            return told.read().split() == _EVERYBODY
    except OSError:
        return True
