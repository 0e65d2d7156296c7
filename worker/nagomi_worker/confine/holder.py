"""The process that makes one session's project writable and read-only again, on its worker's order.

It is a fork of the worker in the session's outer namespaces, and ends with its socket.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Final, NoReturn

import msgspec

assert sys.platform == "linux"

from nagomi_worker.confine import freezing, mount_table, namespaces, orders, writers  # noqa: E402 (nothing elsewhere)
from nagomi_worker.confine.layout import Layout  # noqa: E402 (nothing elsewhere)
from nagomi_worker.confine.orders import Order, Report  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from nagomi_worker.confine.namespaces import Namespaces
    from nagomi_worker.wire.values import Guard

_AGAIN_SECONDS: Final = 0.05
_AGAIN_AT_MOST: Final = 0.4
"""Seconds between retries while files are open for writing: doubled from the first to this."""
_REST_SECONDS: Final = 1.0
"""Most seconds for which all programs are stopped, but for one at a time that may close a file."""
_LOOK_SECONDS: Final = 2.0
"""How often it looks whether the project is still what stands at its path."""
_LAST_SECONDS: Final = 5.0
"""Seconds for which it tries to leave the project read-only when its worker has gone."""


def start(guard: Guard, inside: Namespaces | None = None) -> tuple[int, socket.socket]:
    """Fork a holder, in new namespaces or in ones that are laid out; return its pid and socket.

    Raises:
        OSError: there is no process or descriptor left.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            _become(theirs, guard, inside)
    except BaseException:
        ours.close()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        theirs.close()
    return pid, ours


def _become(channel: socket.socket, guard: Guard, inside: Namespaces | None) -> NoReturn:
    """Run the holder in the forked process, which shares only the socket with the worker."""
    code = 1
    try:
        _forget_worker(channel, inside)
        _Holder(channel, guard, inside).run()
        code = 0
    except OSError as exc:
        _report(
            channel, Report(fault=f"{exc.filename or ''}: {exc.strerror}", number=exc.errno or 0)
        )
    finally:
        os._exit(code)


def _forget_worker(channel: socket.socket, inside: Namespaces | None) -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    kept = sorted({2, channel.fileno(), *(inside or ())})
    for before, after in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(before + 1, after)


class _Holder:
    def __init__(self, channel: socket.socket, guard: Guard, inside: Namespaces | None) -> None:
        self._channel = channel
        self._layout = Layout(guard)
        self._outside = _Outside(guard)
        self._order = Order(writable=False)
        self._moved = ""
        """A path at which another folder stands now than the one that is held."""
        self._writable = False
        """Whether any of it is writable now."""
        self._pause = 0.0
        """Seconds until the next retry; 0 if none is due."""
        self._is_set = True
        """Whether all else than the project is as ordered, too."""
        if inside is None:
            namespaces.make()
            self._layout.lay_out()
        else:
            inside.enter()
        self._outside.remember()
        self._table = os.open(mount_table.TABLE, os.O_RDONLY | os.O_CLOEXEC)
        self._present()

    def run(self) -> None:
        """Carry out orders until the worker has gone, and leave the project read-only."""
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(self._table, select.POLLPRI)
        while True:
            ready = dict(poll.poll(1000 * (self._pause or _LOOK_SECONDS)))
            if self._channel.fileno() in ready and not self._take_order():
                break
            if self._table in ready:
                self._layout.mend(writable=self._wanted)
            if (self._pause and not ready) or self._look():
                self._set()
            if self._table in ready or not self._is_set:
                self._is_set = self._layout.set_elsewhere(writable=self._wanted)
        self._leave()

    @property
    def _wanted(self) -> bool:
        """Whether the project is to be writable."""
        return self._order.writable and not self._moved

    def _present(self) -> None:
        made = namespaces.own()
        socket.send_fds(self._channel, [orders.encode(Report())], list(made))
        made.close()

    def _look(self) -> bool:
        """Look whether the project was moved away or has come back; tell whether that has changed."""
        before, self._moved = self._moved, self._outside.moved()
        return before != self._moved

    def _take_order(self) -> bool:
        packet = self._channel.recv(orders.LARGEST)
        if packet:
            self._order, self._pause = orders.decode_order(packet), 0.0
            self._look()
            self._set()
            self._is_set = self._layout.set_elsewhere(writable=self._wanted)
        return bool(packet)

    def _set(self) -> None:
        """Apply the latest order and report the result; retry later if files were in use."""
        if self._layout.set(writable=self._wanted) or (self._pause and self._set_at_rest()):
            self._writable, self._pause = self._wanted, 0.0
            self._report(Report(writable=self._writable))
            return
        first = not self._pause
        self._writable = True
        self._pause = min(2 * self._pause or _AGAIN_SECONDS, _AGAIN_AT_MOST)
        if first or self._pause == _AGAIN_AT_MOST:
            found = writers.find({one.number for one in self._layout.mounts()})
            told = tuple((one.pid, one.command, one.path) for one in found)
            self._report(Report(writable=True, held_up=True, writers=told))

    def _report(self, report: Report) -> None:
        report = msgspec.structs.replace(report, order=self._order.number, moved=self._moved)
        _report(self._channel, report)

    def _set_at_rest(self) -> bool:
        """Make the project read-only while the session's programs are stopped."""
        mounts = {one.number for one in self._layout.mounts()}
        with freezing.frozen() as programs:
            late = time.monotonic() + _REST_SECONDS
            while time.monotonic() < late:
                if self._layout.set(writable=False):
                    return True
                for writer in writers.find(mounts):
                    closed = partial(_has_closed, writer.pid, mounts)
                    programs.let_one_go_on(writer.pid, closed)
        return False

    def _leave(self) -> None:
        """Make the project read-only for programs that remain, before this process ends."""
        waited = 0.0
        while self._writable and not self._layout.set(writable=False) and waited < _LAST_SECONDS:
            select.select((), (), (), _AGAIN_SECONDS)
            waited += _AGAIN_SECONDS


class _Outside:
    """What stands outside, where everybody else sees it, at the paths of the folders that are held."""

    def __init__(self, guard: Guard) -> None:
        """Make it before the process leaves for other mounts."""
        self._root = os.open("/", os.O_PATH | os.O_CLOEXEC)
        self._held = guard.held
        self._place = guard.place
        self._known: dict[str, tuple[int, int]] = {}

    def remember(self) -> None:
        """Remember the folders that are held, as this process sees them."""
        for path in self._held:
            with contextlib.suppress(OSError):
                self._known[path] = _identity(os.stat(path))
        if self._place and self._held[0] in self._known:
            self._known[self._place] = self._known[self._held[0]]

    def moved(self) -> str:
        """Return a path at which another folder stands than the one that is held; empty if none."""
        for path, known in self._known.items():
            try:
                found = _identity(os.stat(path.lstrip("/"), dir_fd=self._root))
            except (FileNotFoundError, NotADirectoryError):
                return path
            except OSError:
                continue
            if found != known:
                return path
        return ""


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _has_closed(pid: int, mounts: set[int]) -> bool:
    return not writers.writes(pid, mounts)


def _report(channel: socket.socket, report: Report) -> None:
    try:
        channel.send(orders.encode(report))
    except OSError as exc:
        sys.stderr.write(f"nagomi-worker: nobody hears that {report}: {exc}\n")
