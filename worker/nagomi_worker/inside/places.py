"""Tells in which folder and on which git branch a session on a hand is.

No call of the system has a deadline where a disk is dead, so a thread looks, and is left where it is
if it does not come back.
"""

from __future__ import annotations

import contextlib
import os
import queue
import stat
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_worker.wire.messages import Located

if TYPE_CHECKING:
    from nagomi_worker.runtime.loop import Loop
    from nagomi_worker.sessions.delivery import Delivery
    from nagomi_worker.sessions.session import Session

_SHORT: Final = 7
_LIMIT: Final = 4096


def find_head(folder: Path) -> Path | None:
    """Return the HEAD file of the work tree that holds `folder`, or None; worktrees included."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if os.path.isdir(git):
            return git / "HEAD"
        if os.path.isfile(git):
            key, _, target = _read(git).partition(":")
            return (place / target.strip() / "HEAD") if key == "gitdir" else None
    return None


def branch_in(head: Path) -> str:
    """Return the branch that a HEAD file names, or the beginning of a commit's name."""
    told = _read(head)
    name = told[:_SHORT]
    if told.startswith("ref:"):
        name = told.removeprefix("ref:").strip().removeprefix("refs/heads/")
    # Git itself makes no branch whose name holds a control.
    return name if name.isprintable() else ""


def _read(path: Path) -> str:
    """Return the text of a regular file, which may be anybody's; nothing if it cannot be read."""
    try:
        # Opening a device may do something already, so it is not even opened.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return ""
        return os.read(fd, _LIMIT).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    finally:
        os.close(fd)


_MOST: Final = 8
"""Most threads that look at a time: so many dead disks are found, and then no session is looked at."""


class Place(NamedTuple):
    """Where a session is."""

    folder: str
    branch: str


class Places:
    """Tells where a session is, each time that this is news."""

    def __init__(self, loop: Loop, delivery: Delivery) -> None:
        self._loop = loop
        self._delivery = delivery
        self._told: dict[str, Place] = {}
        self._looking: set[str] = set()
        self._found: queue.SimpleQueue[tuple[Session, Place | None]] = queue.SimpleQueue()
        self._wake: tuple[int, int] | None = None

    def look(self, session: Session) -> None:
        """Look at a session, and tell what is found if it was not told before."""
        if session.session_id in self._looking or len(self._looking) >= _MOST or session.ended:
            return
        if self._wake is None:
            self._wake = os.pipe()
            self._loop.watch(self._wake[0], read=self._take, write=None)
        self._looking.add(session.session_id)
        work = partial(self._look, session, session.pid, session.cwd, self._wake[1])
        threading.Thread(target=work, daemon=True).start()

    def forget(self, session: Session) -> None:
        """Forget what was told of a session: somebody else hears now."""
        self._told.pop(session.session_id, None)

    def _look(self, session: Session, pid: int, began: str, wake: int) -> None:
        place = None
        with contextlib.suppress(OSError, ValueError):
            place = place_of(pid, began)
        self._found.put((session, place))
        os.write(wake, b"x")

    def _take(self) -> None:
        assert self._wake is not None
        os.read(self._wake[0], 4096)
        while not self._found.empty():
            session, place = self._found.get()
            self._looking.discard(session.session_id)
            if place is not None and place != self._told.get(session.session_id):
                self._told[session.session_id] = place
                self._delivery.send(
                    Located(session_id=session.session_id, folder=place.folder, branch=place.branch)
                )


def place_of(pid: int, began: str) -> Place:
    """Return where a process is, with an empty folder if that is where it `began`.

    Raises:
        OSError: that is not told.
    """
    folder = folder_of(pid)
    if not folder.isprintable() or not os.path.isdir(folder):
        folder = os.path.realpath(began)
    head = find_head(Path(folder))
    branch = branch_in(head) if head is not None else ""
    return Place("" if folder == os.path.realpath(began) else folder, branch)


def folder_of(pid: int) -> str:
    """Return the folder of a process as the system tells it.

    Raises:
        OSError: the process has ended, or is not ours.
    """
    if sys.platform == "linux":
        return os.readlink(f"/proc/{pid}/cwd")
    import psutil

    try:
        return psutil.Process(pid).cwd()
    except (psutil.Error, AttributeError) as exc:
        raise OSError(str(exc)) from exc
