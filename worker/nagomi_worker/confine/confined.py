"""The worker's side of a strict session: starts the holder process, and sends it orders."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

assert sys.platform == "linux"

from nagomi_worker.confine import holder, orders  # noqa: E402 (nothing elsewhere)
from nagomi_worker.confine.door import Door  # noqa: E402 (nothing elsewhere)
from nagomi_worker.confine.namespaces import Namespaces  # noqa: E402 (nothing elsewhere)
from nagomi_worker.confine.orders import Order, Report  # noqa: E402 (nothing elsewhere)
from nagomi_worker.confine.refusal import Refused, refused  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_worker.confine.interface import Watcher
    from nagomi_worker.wire.values import Guard

_log = logging.getLogger(__name__)
_START_SECONDS: Final = 5.0
_ANOTHER_SECONDS: Final = 0.05
"""Seconds after which a holder that has died is replaced."""


class Confined:
    """The mounts of one strict session; `tell` is called from the event loop with each report.

    Raises:
        Refused: the kernel does not let us.
    """

    def __init__(
        self,
        loop: Watcher,
        guard: Guard,
        env: Mapping[str, str],
        tell: Callable[[Report], None],
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
        if writable:
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
            self._channel.send(orders.encode(self._order))

    def _watch(self) -> None:
        self._channel.setblocking(False)
        self._loop.watch(self._channel.fileno(), read=self._hear, write=None)

    def _hear(self) -> None:
        try:
            packet = self._channel.recv(orders.LARGEST)
        except BlockingIOError:
            return
        except OSError:
            packet = b""
        report = orders.decode_report(packet) if packet else None
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


def _opened(loop: Watcher, guard: Guard, env: Mapping[str, str]) -> Door | None:
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
        packet, fds, _, _ = socket.recv_fds(channel, orders.LARGEST, 2)
        report = orders.decode_report(packet) if packet else Report(fault="it ended")
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
