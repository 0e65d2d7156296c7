"""Reads and writes files carefully: without blocking, and written completely or not at all.

If there is a FIFO, a device, a socket or a folder in a file's place, that is an error.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import itertools
import os
import stat
import sys
import time
from pathlib import Path
from typing import BinaryIO, Final

from nagomi_worker.runtime import files

LIMIT: Final = 4 * 1024 * 1024
"""Most bytes that are read of a file which users write."""
_STALE_SECONDS: Final = 60.0
"""Seconds after which a temporary file counts as left behind, though its pid may be in use."""


def _flags(*names: str) -> int:
    """Return these flags of `os.open`, as far as this system has them."""
    return sum(getattr(os, name, 0) for name in names)


_CAREFUL: Final = _flags("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")


def read(path: Path | str, limit: int = LIMIT) -> bytes:
    """Return what is in a regular file, without waiting for anybody to write it.

    Raises:
        OSError: it does not exist, is no regular file, is too large, or cannot be read.
    """
    fd = opened(path, os.O_RDONLY)
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        data = b"" if found.st_size > limit else file.read(limit + 1)
    if max(found.st_size, len(data)) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data


def read_text(path: Path | str, limit: int = LIMIT) -> str:
    """Return the UTF-8 text of a regular file.

    Raises:
        OSError: as for `read`.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read(path, limit).decode("utf-8")


def append(path: Path) -> BinaryIO:
    """Open a regular file to append to it, as a log; it is made if it does not exist.

    Raises:
        OSError: it is no regular file, or cannot be written.
    """
    return os.fdopen(opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")


def opened(path: Path | str, flags: int) -> int:
    """Open a regular file with flags of `os.open`, without waiting; return its descriptor.

    Raises:
        OSError: it is no regular file, or cannot be opened.
    """
    # Opening a device may do something already, so it is not even opened.
    with contextlib.suppress(FileNotFoundError):
        _check_regular(path, os.stat(path))
    fd = os.open(path, flags | _CAREFUL, 0o600)
    try:
        _check_regular(path, os.fstat(fd))
    except OSError:
        os.close(fd)
        raise
    return fd


def write(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace the content of a regular file of this user, or make it with `mode`.

    Links to it stay: a symlink is followed, and a file with several hard links is written in
    place, since a new one would leave the others behind. So do its mode and group.

    Raises:
        OSError: it cannot be written, is no regular file, or belongs to somebody else; what was
            there is still there.
    """
    real = Path(os.path.realpath(path))
    try:
        found = os.lstat(real)
    except FileNotFoundError:
        if path.is_symlink():
            raise FileNotFoundError(errno.ENOENT, "the link leads nowhere", str(path)) from None
        _replace(real, data, mode)
        return
    _check_regular(path, found)
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", str(path))
    if found.st_nlink > 1:
        _write_in_place(real, data, found)
    else:
        _replace(real, data, stat.S_IMODE(found.st_mode), group=found.st_gid)


def stamp(path: Path) -> tuple[int, int, int]:
    """Return values that change whenever the file does; zeros if there is none."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def unused(path: Path) -> Path:
    """Return a path at which there is nothing: this one, or else with a number behind its name."""
    tried = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return path if not path.exists() else next(other for other in tried if not other.exists())


def _check_regular(path: Path | str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def _replace(path: Path, data: bytes, mode: int, *, group: int = -1) -> None:
    """Put a finished file in the place of the one that is there."""
    _sweep(path)
    spare = path.with_name(f".{path.name}.{os.getpid()}-{time.monotonic_ns()}.nagomi")
    try:
        fd = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFUL, 0o600)
        try:
            _pour(fd, data)
        finally:
            os.close(fd)
        if group != -1 and hasattr(os, "chown"):
            with contextlib.suppress(OSError):
                os.chown(spare, -1, group)
        os.chmod(spare, mode)
        files.replace(spare, path)
    except BaseException:
        spare.unlink(missing_ok=True)
        raise
    _settle(path.parent)


def _write_in_place(path: Path, data: bytes, found: os.stat_result) -> None:
    """Write over a file; where that fails, as on a full disk, what it held is written back."""
    fd = os.open(path, os.O_RDWR | _CAREFUL | _flags("O_NOFOLLOW"))
    try:
        if not os.path.samestat(found, os.fstat(fd)):
            raise OSError(errno.EAGAIN, "it was changed in this moment", str(path))
        with open(fd, "rb", closefd=False) as file:
            before = file.read()
        try:
            _pour(fd, data)
        except OSError:
            with contextlib.suppress(OSError):
                _pour(fd, before)
            raise
    finally:
        os.close(fd)


def _pour(fd: int, data: bytes) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]
    os.ftruncate(fd, len(data))
    os.fsync(fd)


def _sweep(path: Path) -> None:
    """Remove temporary files of writers that were killed."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.nagomi"):
        with contextlib.suppress(OSError, ValueError, OverflowError):
            if _is_stale(left):
                left.unlink()


def _is_stale(left: Path) -> bool:
    writer = left.suffixes[-2].lstrip(".").partition("-")[0]
    if sys.platform != "win32" and writer.isdigit():
        try:
            os.kill(int(writer), 0)
        except ProcessLookupError:
            return True
    return abs(time.time() - left.stat().st_mtime) > _STALE_SECONDS


def _settle(folder: Path) -> None:
    """Synchronize the folder, where that is possible, so that the new name is on the disk, too."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | _flags("O_DIRECTORY", "O_CLOEXEC"))
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def remove_empty(folder: str, root: str) -> None:
    """Remove a folder if it is empty, then its parents likewise, up to the root."""
    while folder != root:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)
