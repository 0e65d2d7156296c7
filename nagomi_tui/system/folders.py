"""The folders of state and sockets as plain strings, for programs that must start quickly.

This is for the front end's start; everything else uses `nagomi_tui.system.paths`.
"""

from __future__ import annotations

import os
import sys

_PATH_BYTES = 107 if sys.platform == "linux" else 103
"""Most bytes that the system allows for a socket's path."""
_LONGEST_NAME = len("/w-01234567")
_REMEMBERED = 4
_RECORD_BYTES = 8192


def here() -> str:
    """Return the folder to begin in: this one, or the home folder where this one is gone."""
    try:
        return os.getcwd()
    except OSError:
        return os.path.expanduser("~")


def home() -> str:
    """Return the folder that NAGOMI_HOME names; empty if it names none."""
    named = os.environ.get("NAGOMI_HOME", "")
    if not named or _is_plain(named):
        return named
    from pathlib import Path

    return str(Path(named).expanduser().absolute())


def state() -> str:
    """Return the folder of session records, locks and logs."""
    if found := _own("state", "XDG_STATE_HOME", "~/.local/state"):
        return found
    import platformdirs

    return str(platformdirs.user_state_path("nagomi", appauthor=False))


def config() -> str:
    """Return the folder of the user's settings."""
    if found := _own("config", "XDG_CONFIG_HOME", "~/.config"):
        return found
    import platformdirs

    return str(platformdirs.user_config_path("nagomi", appauthor=False))


def _own(name: str, variable: str, usual: str) -> str:
    """Return a folder where no library is needed to find it; nothing elsewhere.

    That is `name` below NAGOMI_HOME, or on Linux `nagomi` below what `variable` or `usual` names.
    """
    if own := home():
        return os.path.join(own, name)
    if sys.platform == "linux" and "ANDROID_ROOT" not in os.environ:
        base = os.environ.get(variable, "")
        if not os.path.isabs(base):
            base = os.path.expanduser(usual)
        if _is_plain(base):
            return os.path.join(base, "nagomi")
    return ""


def sockets() -> str:
    """Return the folder of this workplace's sockets: one for each state folder."""
    return next(iter(recorded()), "") or chosen()


def zygote_socket() -> str:
    """Return the path of the socket of the zygote, which forks front ends."""
    return os.path.join(sockets(), "zygote")


def chosen() -> str:
    """Return the folder in which new sockets are made.

    That is in the state folder, unless that cannot hold sockets: it is on a network, or the path
    would be too long. Then it is under the system's temporary folder, and stays at the same path
    if that folder is another one later.
    """
    own = _in_state()
    if sys.platform == "win32":  # where files stand in for sockets
        return own

    if len(os.fsencode(own)) + _LONGEST_NAME <= _PATH_BYTES and holds_sockets(own):
        return own
    kept = (place for place in recorded() if is_temporary(place))
    return next(kept, "") or os.path.join(_temporary(), _temporary_name())


def places() -> list[str]:
    """Return every folder in which sockets of this workplace may be, likeliest first.

    The first is the one in a session's environment; others are those used before.
    """
    told = os.path.dirname(os.environ.get("NAGOMI_SOCKET", ""))
    own = _in_state()
    mine = told == own or told.endswith(_temporary_name())
    usual = [os.path.join(root, _temporary_name()) for root in (_temporary(), "/tmp")]
    return list(dict.fromkeys([*([told] if mine else []), *recorded(), own, *usual]))


def recorded() -> list[str]:
    """Return the present and earlier socket folders that are recorded in the state folder."""
    try:
        fd = os.open(_record(), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return []
    try:
        lines = os.fsdecode(os.read(fd, _RECORD_BYTES)).splitlines()
    except OSError:
        return []
    finally:
        os.close(fd)
    return [line for line in lines if _is_plain(line)][:_REMEMBERED]


def record(folder: str) -> None:
    """Record in the state folder that the sockets are in `folder` from now on.

    Raises:
        OSError: the state folder cannot be written.
    """
    from nagomi_worker.runtime.files import replace

    before = recorded()
    if before[:1] == [folder]:
        return
    kept = [folder, *(place for place in before if place != folder)][:_REMEMBERED]
    spare = f"{_record()}.{os.getpid()}"
    with open(os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(os.fsencode("".join(f"{place}\n" for place in kept)))
    replace(spare, _record())


def _record() -> str:
    return os.path.join(state(), "sockets")


def _in_state() -> str:
    return os.path.join(os.path.realpath(state()), "run")


def is_temporary(place: str) -> bool:
    """Tell whether a place is one under a temporary folder that still exists."""
    root = os.path.dirname(os.path.dirname(place))
    return place.endswith(_temporary_name()) and os.path.isdir(root)


def _temporary_name() -> str:
    """Return the workplace's place under a temporary folder.

    It is short because a socket's path holds at most 107 bytes.
    """
    import hashlib

    digest = hashlib.sha256(os.fsencode(state())).hexdigest()[:12]
    return os.path.join(f"nagomi-{_owner()}", digest)


def _temporary() -> str:
    """Return the system's temporary folder, as `tempfile` would find it."""
    if sys.platform != "win32":
        named = next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp")
        if _is_plain(named) and os.path.isdir(named) and os.access(named, os.W_OK | os.X_OK):
            return named
    import tempfile

    return tempfile.gettempdir()


def _is_plain(path: str) -> bool:
    """Tell whether a path is absolute and normalized."""
    return os.path.isabs(path) and os.path.normpath(path) == path


def _owner() -> str:
    if sys.platform == "win32":
        return os.environ.get("USERNAME", "user")
    return str(os.getuid())


# --- which file systems can hold sockets

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
