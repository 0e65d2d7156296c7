"""Checks that a socket, its folder and the process behind it belong to this user.

`nagomi_tui/event.py`, which may import nothing of nagomi, has its own copy of these checks.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
import sys

TYPE_CHECKING = False  # typing and contextlib take longer to import than this whole module
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Kind: TypeAlias = Literal["link", "file", "owner", "open", "peer"]

_OPEN = 0o077
_NAMELESS = 65534
"""The user id that a user namespace shows for every user it does not map."""
_SO_PEERPIDFD = 77
"""Since Linux 6.5."""
_EVERYBODY = ["0", "0", "4294967295"]


class Untrusted(OSError):
    """Another user could listen here, or read along; nothing was sent."""

    def __init__(self, kind: Kind, place: str, uid: int, mode: int = 0) -> None:
        super().__init__(f"{place} is not to be trusted ({kind}, user {uid}, mode {mode:o})")
        self.kind = kind
        self.place = place
        self.uid = uid
        self.mode = mode


def me() -> int:
    """Return the user id of this process."""
    if sys.platform == "win32":
        return -1
    return os.geteuid()


def is_ours(uid: int) -> bool:
    """Tell whether a user id that the kernel reports is certainly that of this process."""
    return sys.platform == "win32" or (
        uid == os.geteuid() and (uid != _NAMELESS or _has_everybody())
    )


def check_folder(folder: str) -> None:
    """Check that only this user can read or write in this folder.

    Raises:
        Untrusted: another user can.
        OSError: there is no such folder.
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
    """Check that the folder of the socket at `path`, and its parent, belong to this user alone.

    Raises:
        Untrusted: one of them does not.
        OSError: one of them does not exist.
    """
    folder = os.path.dirname(path)
    check_folder(os.path.dirname(folder))
    check_folder(folder)


def check_peer(connection: socket.socket, path: str = "") -> None:
    """Check that a process of this user is at the other end.

    Raises:
        Untrusted: it is a process of another user, be it root.
        OSError: the connection has ended.
    """
    if sys.platform != "win32" and not is_ours(uid := peer_uid(connection)):
        raise Untrusted("peer", path, uid)


def peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process at the other end of a connection.

    Raises:
        OSError: the connection has ended, or the system cannot tell.
    """
    if sys.platform == "linux":
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int(struct.unpack("iII", told)[1])
    # SOL_LOCAL and LOCAL_PEERCRED of macOS and the BSDs: a `struct xucred`.
    return int(struct.unpack_from("II", connection.getsockopt(0, 1, 256))[1])


def peer_pid(connection: socket.socket) -> int:
    """Return the process that made a connection, while it lives; 0 if it has ended or is not told.

    Where the kernel knows it by more than its number, another process of that number is not taken
    for it.
    """
    try:
        if sys.platform == "linux":
            return _living_peer(connection)
        return int(struct.unpack_from("I", connection.getsockopt(0, 2, 4))[0])  # LOCAL_PEERPID
    except (OSError, ValueError, struct.error):
        return 0


def _living_peer(connection: socket.socket) -> int:
    if sys.platform != "linux":
        return 0
    try:
        fd = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERPIDFD)
    except OSError as exc:
        if exc.errno != errno.ENOPROTOOPT:
            return 0
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int(struct.unpack("iII", told)[0])
    try:
        with open(f"/proc/self/fdinfo/{fd}") as lines:
            return max([0, *(int(line[4:]) for line in lines if line.startswith("Pid:"))])
    finally:
        os.close(fd)


def connect(path: str, timeout: float | None = None) -> socket.socket:
    """Return a connection to a process of this user at `path`, after checking folders and process.

    Raises:
        Untrusted: the folders or the process belong to another user.
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
    """Make a folder that only its owner can enter, and its missing parents alike.

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
    """Remove others' permissions from a folder, opened so that its path cannot be swapped."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        os.fchmod(fd, 0o700)
    finally:
        os.close(fd)


def _has_everybody() -> bool:
    """Tell whether every user id is mapped here, so that none is shown as another."""
    try:
        with open("/proc/self/uid_map") as told:
            return told.read().split() == _EVERYBODY
    except OSError:
        return True
