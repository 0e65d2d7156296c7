"""The worker's side of a strict session: its holder, its mounts, and the socket inside.

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
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

assert sys.platform == "linux"

from nagomi_worker.confine import holder, interface  # noqa: E402
from nagomi_worker.confine.interface import Order, Report  # noqa: E402
from nagomi_worker.confine.kernel import Namespaces  # noqa: E402 (nothing elsewhere)
from nagomi_worker.confine.probe import Refused, refused  # noqa: E402
from nagomi_worker.runtime.loop import Loop  # noqa: E402
from nagomi_worker.wire import trust  # noqa: E402 (nothing elsewhere)
from nagomi_worker.wire.messages import Guard  # noqa: E402

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

    def __init__(self, loop: Loop, guard: Guard, env: Mapping[str, str]) -> None:
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


_START_SECONDS: Final = 5.0
_ANOTHER_SECONDS: Final = 0.05
"""Seconds after which a holder that has died is replaced."""


class Confined:
    """The mounts of one strict session; `tell` is called from the event loop with each report.

    Raises:
        Refused: the kernel does not let us.
    """

    def __init__(
        self, loop: Loop, guard: Guard, env: Mapping[str, str], tell: Callable[[Report], None]
    ) -> None:
        self._loop = loop
        self._guard = guard
        self._tell = tell
        self._order = Order(writable=False)
        self._made = _make_missing(guard.shut)
        self.report = Report()
        """The holder's latest report on the project."""
        self._closed = False
        self._door = _opened(loop, guard, env)
        try:
            self._channel, self._namespaces = _started(guard)
        except Refused:
            _remove_empty(self._made)
            if self._door is not None:
                self._door.close()
            raise
        self._watch()

    @property
    def inside(self) -> Namespaces:
        """The namespaces in which the session's programs are to run."""
        return self._namespaces

    def hold(self, *, writable: bool, number: int = 0) -> None:
        """Have the project made writable or read-only; `tell` is called when that is done."""
        if writable and not self.report.moved:
            self._made += _make_missing(self._guard.shut)
        self._order = Order(writable, number)
        self._send_order()

    def close(self) -> None:
        """End the holder, which leaves the project read-only for programs that remain."""
        if not self._closed:
            self._closed = True
            self._loop.unwatch(self._channel.fileno())
            self._channel.close()
            self._namespaces.close()
            if self._door is not None:
                self._door.close()
            _remove_empty(self._made)

    def _send_order(self) -> None:
        # If the holder has died, `_hear` sees its socket close, and the next holder gets the order.
        with contextlib.suppress(OSError):
            self._channel.send(interface.encode(self._order))

    def _watch(self) -> None:
        self._channel.setblocking(False)
        self._loop.watch(self._channel.fileno(), read=self._hear, write=None)

    def _hear(self) -> None:
        try:
            packet = self._channel.recv(interface.LARGEST)
        except BlockingIOError:
            return
        except OSError:
            packet = b""
        report = interface.decode_report(packet) if packet else None
        if report is None or report.fault:
            self._lose(report)
            return
        self.report = report
        self._tell(report)

    def _lose(self, report: Report | None) -> None:
        """Replace a holder that has died; the mounts outlive it."""
        _log.warning("the holder of %s has ended: %s", self._guard.held[0], report)
        self._loop.unwatch(self._channel.fileno())
        self._channel.close()
        self._loop.call_later(_ANOTHER_SECONDS, self._replace)

    def _replace(self) -> None:
        if self._closed:
            return
        try:
            self._channel, found = _started(self._guard, self._namespaces)
        except Refused as exc:
            _log.warning("%s", exc)
            self._loop.call_later(1.0, self._replace)
            return
        found.close()
        self._watch()
        self._send_order()


def _opened(loop: Loop, guard: Guard, env: Mapping[str, str]) -> Door | None:
    """Open the socket for hooks, if the session is to have one.

    Raises:
        Refused: the socket cannot be made.
    """
    try:
        return Door(loop, guard, env) if guard.door else None
    except OSError as exc:
        raise refused(exc.errno or 0, f"{guard.door}: {exc.strerror}") from exc


class _Started(NamedTuple):
    channel: socket.socket
    namespaces: Namespaces


def _started(guard: Guard, inside: Namespaces | None = None) -> _Started:
    """Start a holder, and wait until everything is mounted.

    Raises:
        Refused: the holder could not be started, or the kernel refused a mount.
    """
    try:
        _, channel = holder.start(guard, inside)
    except OSError as exc:
        raise refused(exc.errno or 0, str(exc)) from exc
    channel.settimeout(_START_SECONDS)
    try:
        packet, fds, _, _ = socket.recv_fds(channel, interface.LARGEST, 2)
        report = interface.decode_report(packet) if packet else Report(fault="it ended")
        if report.fault or len(fds) != 2:
            raise refused(report.number, report.fault)
    except Refused:
        channel.close()
        raise
    except (OSError, ValueError) as exc:
        channel.close()
        raise refused(getattr(exc, "errno", 0) or 0, str(exc)) from exc
    return _Started(channel, Namespaces(*fds))


def _make_missing(folders: tuple[str, ...]) -> list[str]:
    """Create protected folders that do not exist, so that they can be mounted; return these."""
    made: list[str] = []
    for folder in folders:
        with contextlib.suppress(OSError):
            if not os.path.lexists(folder):
                os.mkdir(folder)
                made.append(folder)
    return made


def _remove_empty(folders: list[str]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            os.rmdir(folder)
