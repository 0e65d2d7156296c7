"""The listening side of a resident worker: one worker for each path, guarded by a lock file.

Socket and lock are made again where something has cleaned them out of the temporary folder.
"""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Final

from nagomi_worker.arrivals import Arrivals
from nagomi_worker.runtime.lock import Busy, FileLock, lock_path
from nagomi_worker.wire.transport import listen, make_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_worker.runtime.loop import Loop
    from nagomi_worker.wire.peer import Stream
    from nagomi_worker.wire.protocol import Hello
    from nagomi_worker.wire.transport import Listening

_log = logging.getLogger(__name__)
_LOOK_SECONDS: Final = 30.0
_FULL_SECONDS: Final = 0.5
"""Seconds without accepting clients after the process ran out of file descriptors."""


class Taken(RuntimeError):
    """Another worker serves at this path already."""


class LockedListener:
    """Holds the lock of the path, listens there, and calls `connect` for each client.

    Raises:
        Taken: another worker serves at the path.
        OSError: lock or socket cannot be made.
    """

    def __init__(
        self,
        loop: Loop,
        path: Path,
        connect: Callable[[Stream, Hello], None],
        *,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        self._loop = loop
        self._path = path
        self._arrivals = Arrivals(loop, connect)
        self._look_seconds = look_seconds
        self._full = False
        """No descriptor was free for the last client, which was logged."""
        self._lock = _lock(path)
        self._listening = self._open()
        self._look_later()

    def close(self) -> None:
        """Stop listening and remove the lock."""
        self._loop.unwatch(self._listening.fileno())
        self._listening.close()
        self._arrivals.close()
        with contextlib.suppress(OSError):
            self._lock.release()
            lock_path(self._path).unlink(missing_ok=True)

    def _open(self) -> Listening:
        listening = listen(self._path)
        self._watch(listening)
        return listening

    def _watch(self, listening: Listening) -> None:
        self._loop.watch(listening.fileno(), read=self._accept, write=None)

    def _accept(self) -> None:
        try:
            connection = self._listening.accept()
        except (BlockingIOError, ConnectionError):
            return
        except OSError as exc:
            self._rest(exc)
            return
        self._full = False
        self._arrivals.add(connection, self._listening.admit)

    def _rest(self, fault: OSError) -> None:
        """Accept nobody for a while: no descriptor is free for a connection."""
        if not self._full:
            _log.warning("nobody can be let in for now: %s", fault)
        self._full = True
        self._loop.unwatch(self._listening.fileno())
        self._loop.call_later(_FULL_SECONDS, lambda: self._watch(self._listening))

    def _look_later(self) -> None:
        self._loop.call_later(self._look_seconds, self._look)

    def _look(self) -> None:
        """Make lock and socket again if something has removed them."""
        with contextlib.suppress(OSError, Taken):
            if not self._lock.intact():
                before, self._lock = self._lock, _lock(self._path)
                before.release()
        if not self._listening.intact():
            _log.warning("%s was removed; it is made again", self._path)
            try:
                listening = self._open()
            except OSError as exc:
                _log.warning("%s cannot be made: %s", self._path, exc)
            else:
                self._loop.unwatch(self._listening.fileno())
                self._listening.close()
                self._listening = listening
        self._look_later()


def _lock(path: Path) -> FileLock:
    make_folder(path)
    lock = FileLock(lock_path(path))
    try:
        lock.take()
    except Busy as exc:
        raise Taken(f"A worker serves at {path} already. Use that one, or another path.") from exc
    return lock
