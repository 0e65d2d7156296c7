"""Mounts a strict session's folders, and makes its project writable or read-only.

A mount vanishes when a program outside removes or replaces its mount point, as `git config` does
with its file. So each step begins by mounting again what is missing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Final

assert sys.platform == "linux"

from nagomi_worker.confine import kernel, mount_table  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from nagomi_worker.wire.messages import Guard

_NOTHING_TO_HOLD: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Why a path cannot be mounted that does not exist now, or only by way of a symbolic link."""
_KERNELS_OWN: Final = ("/proc", "/sys", "/dev")
"""Where no files are: what is written there changes a process or a device, and no disk."""
_OWN_SIZE: Final = "32m"
"""How much a session can write into a folder of its own, which is in memory."""
_TRIES: Final = 50
"""How often in a row a mount is tried that has files open for writing: some milliseconds."""


class Layout:
    """The mounts of one session, seen by a process in its outer namespaces."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._named = (*guard.held, *guard.shut, *guard.open, *(guard.elsewhere or ()))
        self._numbers: set[int] = set()
        """The mounts of the project, whose paths change when it is moved."""

    def lay_out(self) -> None:
        """Mount everything; the project is read-only then.

        Raises:
            OSError: the kernel refuses it.
        """
        _ = self._other_ways
        present = [one for one in self._places() if os.path.lexists(one)]
        for path in (*present, *self._other_ways):
            kernel.bind(path)
        self._hide()
        self.set(writable=False)
        self.set_elsewhere(writable=False)

    def set(self, *, writable: bool) -> bool:
        """Make the project writable or read-only; tell whether all of it is so now.

        It is not where something has a file there open for writing. What can be made read-only
        is made so nonetheless.

        Raises:
            OSError: the kernel refuses it.
        """
        self.mend(writable=writable)
        ours = {one.number for one in self.mounts()}
        found = [one for one in mount_table.reachable(mount_table.read()) if one.number in ours]
        return all([_set(one, self._is_writable(one.path, writable)) for one in found])

    def set_elsewhere(self, *, writable: bool) -> bool:
        """Do the same with all that is mounted outside of the project; tell whether it is so."""
        done = [True]
        for one in self._elsewhere():
            # What was read-only before this session can never be made writable in it.
            with contextlib.suppress(PermissionError):
                done.append(_set(one, self._is_writable(one.path, writable), tries=1))
        return all(done)

    def mend(self, *, writable: bool) -> None:
        """Mount again what something outside has removed the place of.

        Raises:
            OSError: the kernel refuses it.
        """
        mounted = _mounted()
        for path in self._places():
            if path in mounted or path in (mounted := _mounted()):
                continue
            if writable and path in self._guard.shut:
                _make_if_missing(path)
            try:
                kernel.bind(path)
            except OSError as exc:
                if exc.errno not in _NOTHING_TO_HOLD:
                    raise
            else:
                if _is_doubled(path):
                    kernel.unmount(path)
                else:
                    kernel.set_writable(path, self._is_writable(path, writable))

    def mounts(self) -> list[mount_table.Mount]:
        """Return the mounts of the project, also if it was moved, and of what is shut elsewhere."""
        table, guard = mount_table.read(), self._guard
        known = {one.number for one in mount_table.below(table, (*guard.held, *guard.shut))}
        self._numbers = known | (self._numbers & {one.number for one in table})
        return [one for one in table if one.number in self._numbers]

    def _places(self) -> list[str]:
        """Return all that is mounted onto itself, folders before what lies in them.

        A folder that holds what is guarded is mounted, too: a mount point can be neither moved
        away nor replaced, so that no other folder comes to stand at the same path.
        """
        guard = self._guard
        held = [one for one in (*guard.shut, *guard.hidden) if not self._is_in_project(one)]
        above = {folder for one in (*guard.held, *held) for folder in mount_table.above(one)}
        return sorted({*(above - {"/"}), *self._named}, key=lambda path: path.count("/"))

    def _hide(self) -> None:
        """Have folders look empty, but for the door; what is open of them is the session's alone."""
        door = os.open(self._guard.door, os.O_PATH | os.O_CLOEXEC) if self._guard.door else -1
        for folder in filter(os.path.isdir, self._guard.hidden):
            if folder in self._guard.open:
                kernel.cover(folder, _OWN_SIZE)
                continue
            kernel.cover(folder)
            if os.path.dirname(self._guard.door) == folder:
                kernel.bring(door, self._guard.door)
            kernel.set_writable(folder, writable=False)
        if door >= 0:
            os.close(door)

    @cached_property
    def _other_ways(self) -> tuple[str, ...]:
        """Where else is what may not be written, by another mount: it is read-only there for good."""
        table, guard = mount_table.read(), self._guard
        folders = [*guard.held, *(one for one in guard.shut if not self._is_in_project(one))]
        return tuple(
            way
            for folder in folders
            for way in mount_table.other_ways(table, folder)
            if _is_same(way, folder)
        )

    def _elsewhere(self) -> list[mount_table.Mount]:
        """Return what is mounted outside of the project, if that is to be held at all."""
        table = mount_table.reachable(mount_table.read())
        if self._guard.elsewhere is None:
            return mount_table.below(table, self._other_ways)
        inside = (*self._guard.held, *self._guard.shut, *self._guard.hidden, *_KERNELS_OWN)
        within = {one.number for one in mount_table.below(table, inside)}
        return [one for one in table if one.number not in within]

    def _is_in_project(self, path: str) -> bool:
        return any(mount_table.is_below(path, one) for one in self._guard.held)

    def _is_writable(self, path: str, writable: bool) -> bool:
        """Tell whether a mount is to be writable, where the project is to be `writable` or not.

        It goes by the nearest of the guard's paths: one that was moved counts as the rest.
        """
        guard = self._guard
        if any(mount_table.is_below(path, way) for way in self._other_ways):
            return False
        named = (one for one in self._named if mount_table.is_below(path, one))
        nearest = max(named, key=len, default="")
        always = nearest in guard.open or nearest in (guard.elsewhere or ())
        return always or (writable and nearest not in guard.shut)


def _mounted() -> set[str]:
    """Return all paths at which something is mounted that a program finds there."""
    return {one.path for one in mount_table.reachable(mount_table.read())}


def _is_doubled(path: str) -> bool:
    """Tell whether a mount covers one at the same path, which came there by a move meanwhile.

    Who works in a folder that is covered so would see no change that is made to the mount above.
    """
    table = mount_table.read()
    paths = {one.number: one.path for one in table}
    return any(one.path == path == paths.get(one.parent) for one in mount_table.reachable(table))


def _set(mount: mount_table.Mount, writable: bool, tries: int = _TRIES) -> bool:
    """Make a mount writable or read-only, if it is not; tell whether it is so now.

    Programs that open and close files all the time leave a moment in between.
    """
    for _ in range(tries if mount.writable != writable else 0):
        try:
            kernel.set_writable(mount.path, writable)
        except OSError as exc:
            if exc.errno != errno.EBUSY:
                raise
            os.sched_yield()
        else:
            return True
    return mount.writable == writable


def _make_if_missing(folder: str) -> None:
    """Have an empty folder stand where nothing is to be."""
    with contextlib.suppress(OSError):
        os.mkdir(folder)


def _is_same(way: str, folder: str) -> bool:
    """Tell whether both lead to one folder; something else may be mounted over the other."""
    with contextlib.suppress(OSError):
        return os.path.samefile(way, folder)
    return False
