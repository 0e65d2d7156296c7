"""Mounts a strict session's folders, and makes its project writable or read-only.

A mount vanishes when a program outside removes or replaces its mount point, as `git config` does
with its file. So each step begins by mounting again what is missing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import TYPE_CHECKING, Final

assert sys.platform == "linux"

from nagomi_worker.confine import kernel, mount_table  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from nagomi_worker.confine.mount_table import Mount
    from nagomi_worker.wire.values import Guard

_NOTHING_TO_HOLD: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Why a path cannot be mounted that does not exist now, or only by way of a symbolic link."""

_TRIES: Final = 50
"""How often in a row a mount is tried that has files open for writing: some milliseconds."""


class Layout:
    """The mounts of one session, seen by a process in its outer namespaces."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def lay_out(self) -> None:
        """Mount everything; the project is read-only then.

        Raises:
            OSError: the kernel refuses it.
        """
        before, guard = mount_table.read(), self._guard
        for folder in guard.held:
            kernel.bind(folder)
            self._shut_other_ways(before, folder)
        for path in (*guard.shut, *guard.open):
            if os.path.lexists(path):
                kernel.bind(path)
        self._hide()
        self.set(writable=False)

    def set(self, *, writable: bool) -> bool:
        """Make the project writable or read-only; tell whether all of it is so now.

        It is not where something has a file there open for writing. What can be made read-only
        is made so nonetheless.

        Raises:
            OSError: the kernel refuses it.
        """
        self.mend(writable=writable)
        paths = dict.fromkeys(one.path for one in self.mounts())
        done = [_set(path, self._may_be_written(path, writable=writable)) for path in paths]
        return all(done)

    def mend(self, *, writable: bool) -> None:
        """Mount again what something outside has removed the place of.

        Raises:
            OSError: the kernel refuses it.
        """
        guard = self._guard
        mounted = {one.path for one in mount_table.read()}
        for path in (*guard.held, *guard.shut, *guard.open):
            if path in mounted:
                continue
            if writable and path in guard.shut:
                _make_if_missing(path)
            try:
                kernel.bind(path)
            except OSError as exc:
                if exc.errno not in _NOTHING_TO_HOLD:
                    raise
            else:
                kernel.set_writable(path, self._may_be_written(path, writable=writable))

    def mounts(self) -> list[Mount]:
        """Return the mounts of the project, and of what is shut elsewhere."""
        return mount_table.below(mount_table.read(), (*self._guard.held, *self._guard.shut))

    def _hide(self) -> None:
        """Have folders look empty, but for the door."""
        door = os.open(self._guard.door, os.O_PATH | os.O_CLOEXEC) if self._guard.door else -1
        for folder in filter(os.path.isdir, self._guard.hidden):
            kernel.cover(folder)
            if os.path.dirname(self._guard.door) == folder:
                kernel.bring(door, self._guard.door)
            kernel.set_writable(folder, writable=False)
        if door >= 0:
            os.close(door)

    def _shut_other_ways(self, before: list[Mount], folder: str) -> None:
        """Make what else leads to a folder read-only for good."""
        for way in mount_table.other_ways(before, folder):
            if _is_same(way, folder):
                kernel.bind(way)
                kernel.set_writable(way, writable=False)

    def _may_be_written(self, path: str, *, writable: bool) -> bool:
        """Tell it by the nearest of the guard's paths: one that was moved counts as the rest."""
        guard = self._guard
        named = (*guard.held, *guard.shut, *guard.open)
        nearest = max((one for one in named if mount_table.is_below(path, one)), key=len)
        return nearest in guard.open or (writable and nearest not in guard.shut)


def _set(path: str, writable: bool) -> bool:
    """Make a mount writable or read-only; tell whether it is so now.

    Programs that open and close files all the time leave a moment in between.
    """
    for _ in range(_TRIES):
        try:
            kernel.set_writable(path, writable)
        except OSError as exc:
            if exc.errno != errno.EBUSY:
                raise
            os.sched_yield()
        else:
            return True
    return False


def _make_if_missing(folder: str) -> None:
    """Have an empty folder stand where nothing is to be."""
    with contextlib.suppress(OSError):
        os.mkdir(folder)


def _is_same(way: str, folder: str) -> bool:
    """Tell whether both lead to one folder; something else may be mounted over the other."""
    with contextlib.suppress(OSError):
        return os.path.samefile(way, folder)
    return False
