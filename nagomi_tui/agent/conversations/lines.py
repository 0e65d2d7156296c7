"""A file of lines that is only ever added to, and keeps a line that was cut off apart (SB-12)."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.agent.conversations.faults import NotWritten

if TYPE_CHECKING:
    from pathlib import Path

_TAIL: Final = 65536


class Lines:
    """An open file of lines. One process at a time may hold it: its caller has the lock."""

    def __init__(self, path: Path) -> None:
        """Open the file, made if it does not exist, and end a line that was cut off.

        Raises:
            NotWritten: it cannot be opened.
        """
        self._path = path
        try:
            self._file = files.append(path)
            self.torn = _unended(path)
        except OSError as exc:
            raise NotWritten(path, exc.strerror or str(exc)) from exc
        self._unended = bool(self.torn)
        with contextlib.suppress(NotWritten):  # a full disk may be read; `append` tries again
            self.append(b"")

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return os.fstat(self._file.fileno()).st_size

    def append(self, data: bytes) -> int:
        """Add whole lines in one write, and return where they begin.

        Raises:
            NotWritten: the disk does not take them; what was there before is as it was.
        """
        before = self.size
        ended = b"\n" if self._unended else b""
        try:
            _pour(self._file.fileno(), ended + data)
        except BaseException as exc:
            self._take_back(before)
            if isinstance(exc, OSError):
                raise NotWritten(self._path, exc.strerror or str(exc)) from exc
            raise
        self._unended = False
        return before + len(ended)

    def _take_back(self, size: int) -> None:
        """Remove what was written of lines that are not whole; else they count as cut off."""
        try:
            os.ftruncate(self._file.fileno(), size)
        except OSError:
            self._unended = True

    def sync(self) -> None:
        """Have the lines on the disk.

        Raises:
            NotWritten: the disk says that they are not.
        """
        try:
            os.fsync(self._file.fileno())
        except OSError as exc:
            raise NotWritten(self._path, exc.strerror or str(exc)) from exc

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(path: Path, start: int = 0) -> bytes:
    """Return what a file of lines has from a place on; nothing if it does not exist.

    Raises:
        OSError: it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            file.seek(start)
            return file.read()
    except FileNotFoundError:
        return b""


def _pour(fd: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def _unended(path: Path) -> bytes:
    """Return the last line if no newline ends it."""
    with open(path, "rb") as file:
        place = file.seek(0, os.SEEK_END)
        tail = b""
        while place and b"\n" not in tail:
            step = min(place, _TAIL)
            place -= step
            file.seek(place)
            tail = file.read(step) + tail
    return tail.rpartition(b"\n")[2]
