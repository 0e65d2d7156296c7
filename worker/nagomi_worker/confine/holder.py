"""The process that holds the mounts of a strict session, and changes them on the worker's order.

It is a fork of the worker in the session's outer namespaces, and ends with its socket.

While mounts change, the session's programs are stopped. A shell that sees its child stopped
believes that the user has suspended it. So parents are stopped before their children and continued
after them: no parent runs while a child is stopped.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

import msgspec

assert sys.platform == "linux"

from nagomi_worker.confine import interface, kernel, mount_table  # noqa: E402
from nagomi_worker.confine.interface import Order, Report  # noqa: E402
from nagomi_worker.confine.kernel import Namespaces  # noqa: E402
from nagomi_worker.confine.mounts import Layout  # noqa: E402 (nothing elsewhere)
from nagomi_worker.runtime.proc import read_stat  # noqa: E402 (nothing elsewhere)

if TYPE_CHECKING:
    from nagomi_worker.wire.messages import Guard

_ROUNDS: Final = 5
"""Most passes over the processes, for programs that were started meanwhile."""
_ALONE_SECONDS: Final = 0.2
"""Most seconds for which one program runs while all others are stopped; few where the machine is free."""
_TURN_SECONDS: Final = 0.02
"""How long it runs at a time, so that it can come to its turn on a machine that is busy."""
_STOP_SECONDS: Final = 0.05
"""How long it is waited for that a program has stopped."""
_PAUSE: Final = 0.0002
_STOPPED: Final = "T"


class Frozen:
    """The programs that pause, parents first."""

    def __init__(self) -> None:
        self._pids: list[int] = []

    def stop(self) -> None:
        """Stop every program in these namespaces but this one."""
        for _ in range(_ROUNDS):
            fresh = [pid for pid in _others() if pid not in self._pids]
            if not fresh:
                return
            for pid in fresh:
                if _state(pid) != _STOPPED and _send(pid, signal.SIGSTOP):
                    self._pids.append(pid)

    def let_one_go_on(self, pid: int, until: Callable[[], bool]) -> None:
        """Let one of them run until it stands still where `until()` is true, such as with a file closed."""
        if pid not in self._pids:
            return
        late = time.monotonic() + _ALONE_SECONDS
        while not until() and time.monotonic() < late:
            _send(pid, signal.SIGCONT)
            _wait(until, _TURN_SECONDS)
            _send(pid, signal.SIGSTOP)
            _wait(lambda: _state(pid) in (_STOPPED, ""), _STOP_SECONDS)

    def go_on(self) -> None:
        for pid in reversed(self._pids):
            _send(pid, signal.SIGCONT)


@contextlib.contextmanager
def frozen() -> Iterator[Frozen]:
    """Stop all programs of these namespaces for as long as the block takes."""
    found = Frozen()
    try:
        found.stop()
        yield found
    finally:
        found.go_on()


def here() -> Iterator[int]:
    """Yield all processes that see what this one sees mounted, this one too."""
    mounts = os.stat("/proc/self/ns/mnt")
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(f"/proc/{name}/ns/mnt"), mounts):
                yield int(name)


def _wait(until: Callable[[], bool], seconds: float) -> None:
    """Wait until something is so, for so long at most, and leave the processor to others meanwhile."""
    late = time.monotonic() + seconds
    while not until() and time.monotonic() < late:
        time.sleep(_PAUSE)


def _others() -> list[int]:
    """Return the others, each behind its parent."""
    parents = {pid: _parent(pid) for pid in here() if pid != os.getpid()}

    def depth(pid: int) -> int:
        found = 0
        while (pid := parents.get(pid, 0)) and found < len(parents):
            found += 1
        return found

    return sorted(parents, key=depth)


def _parent(pid: int) -> int:
    try:
        return read_stat(pid).parent
    except OSError:
        return 0


def _state(pid: int) -> str:
    """Return the state of a process; empty if it is gone."""
    try:
        return read_stat(pid).state
    except OSError:
        return ""


def _send(pid: int, number: signal.Signals) -> bool:
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True


_MOST: Final = 5


class Writer(NamedTuple):
    """A process that has a file open for writing."""

    pid: int
    command: str
    path: str


def find(mounts: Collection[int]) -> list[Writer]:
    """Return some of the processes of this mount namespace that have files there open for writing.

    A process that only maps a file into memory (`mmap`) is not found.
    """
    found: list[Writer] = []
    for pid in here():
        with contextlib.suppress(OSError):
            found += [Writer(pid, _name(pid), path) for path in _written(pid, mounts)][:1]
        if len(found) == _MOST:
            break
    return found


def writes(pid: int, mounts: Collection[int]) -> bool:
    """Tell whether a process has a file of these mounts open for writing."""
    with contextlib.suppress(OSError):
        return any(_written(pid, mounts))
    return False


def _written(pid: int, mounts: Collection[int]) -> Iterator[str]:
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(OSError, ValueError):
            told = _fields(f"/proc/{pid}/fdinfo/{fd}")
            writes = int(told["flags"], 8) & os.O_ACCMODE
            if writes and int(told.get("mnt_id", "0")) in mounts:
                yield os.readlink(f"/proc/{pid}/fd/{fd}")


def _fields(path: str) -> dict[str, str]:
    with open(path) as file:
        words = (line.split(maxsplit=1) for line in file)
        return {pair[0].rstrip(":"): pair[1].strip() for pair in words if len(pair) == 2}


def _name(pid: int) -> str:
    with open(f"/proc/{pid}/comm", errors="replace") as file:
        return file.read().strip()


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
            kernel.make()
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
        made = kernel.own()
        socket.send_fds(self._channel, [interface.encode(Report())], list(made))
        made.close()

    def _look(self) -> bool:
        """Look whether the project was moved away or has come back; tell whether that has changed."""
        before, self._moved = self._moved, self._outside.moved()
        return before != self._moved

    def _take_order(self) -> bool:
        packet = self._channel.recv(interface.LARGEST)
        if packet:
            self._order, self._pause = interface.decode_order(packet), 0.0
            self._look()
            self._set()
        return bool(packet)

    def _set(self) -> None:
        """Apply the latest order and report the result; retry later if files were in use."""
        is_done = self._layout.set(writable=self._wanted)
        self._is_set = self._layout.set_elsewhere(writable=self._wanted)
        if is_done or (self._pause and self._set_at_rest()):
            self._writable, self._pause = self._wanted, 0.0
            self._report(Report(writable=self._writable))
            return
        first = not self._pause
        self._writable = True
        self._pause = min(2 * self._pause or _AGAIN_SECONDS, _AGAIN_AT_MOST)
        if first or self._pause == _AGAIN_AT_MOST:
            found = find({one.number for one in self._layout.mounts()})
            told = tuple((one.pid, one.command, one.path) for one in found)
            self._report(Report(writable=True, held_up=True, writers=told))

    def _report(self, report: Report) -> None:
        report = msgspec.structs.replace(report, order=self._order.number, moved=self._moved)
        _report(self._channel, report)

    def _set_at_rest(self) -> bool:
        """Make the project read-only while the session's programs are stopped."""
        mounts = {one.number for one in self._layout.mounts()}
        with frozen() as programs:
            late = time.monotonic() + _REST_SECONDS
            while time.monotonic() < late:
                if self._layout.set(writable=False):
                    return True
                for writer in find(mounts):
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
    return not writes(pid, mounts)


def _report(channel: socket.socket, report: Report) -> None:
    try:
        channel.send(interface.encode(report))
    except OSError as exc:
        sys.stderr.write(f"nagomi-worker: nobody hears that {report}: {exc}\n")
