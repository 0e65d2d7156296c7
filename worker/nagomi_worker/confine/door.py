"""The only socket of nagomi's in a strict session: its hooks have their events decided outside.

For each connection the worker starts the program that the orchestrator named, with the connection
as stdin and stdout. The worker itself reads nothing from it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Final

assert sys.platform == "linux"

from nagomi_worker.wire import trust  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_worker.confine.interface import Watcher
    from nagomi_worker.wire.values import Guard

_log = logging.getLogger(__name__)
_PATH: Final = os.pathsep.join(("/usr/local/bin", os.defpath))
"""Where programs are looked for outside; the session's PATH could lead into the project."""
_UNSAFE: Final = ("LD_", "GIT_")
"""How variables begin that have another program or library be run, or other settings be read."""
_MOST: Final = 32
"""Most programs that answer at the same time; further connections are closed unanswered."""


class Door:
    """Listens at `guard.door` until it is closed.

    Raises:
        OSError: the socket cannot be made.
    """

    def __init__(self, loop: Watcher, guard: Guard, env: Mapping[str, str]) -> None:
        self._loop = loop
        self._guard = guard
        self._env = outside(env)
        self._running: list[subprocess.Popen[bytes]] = []
        self._listener = socket.socket(socket.AF_UNIX)
        umask = os.umask(0o177)
        try:
            self._listener.bind(guard.door)
        finally:
            os.umask(umask)
        self._listener.listen(_MOST)
        self._listener.setblocking(False)
        loop.watch(self._listener.fileno(), read=self._let_in, write=None)

    def close(self) -> None:
        """Close and remove the socket."""
        self._loop.unwatch(self._listener.fileno())
        self._listener.close()
        with contextlib.suppress(OSError):
            os.unlink(self._guard.door)

    def _let_in(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        with connection:
            self._running = [one for one in self._running if one.poll() is None]
            if len(self._running) >= _MOST:
                return
            try:
                trust.check_peer(connection)
                connection.setblocking(True)
                self._running.append(self._start(connection))
            except OSError as exc:
                _log.warning("a hook is not answered: %s", exc)

    def _start(self, connection: socket.socket) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._guard.program,
            stdin=connection.fileno(),
            stdout=connection.fileno(),
            stderr=subprocess.DEVNULL,
            env=self._env,
            cwd="/",
            start_new_session=True,
        )


def outside(env: Mapping[str, str]) -> dict[str, str]:
    """Return a session's environment without what could have its own programs run outside of it."""
    kept = {name: value for name, value in env.items() if not name.startswith(_UNSAFE)}
    return {**kept, "PATH": _PATH}
