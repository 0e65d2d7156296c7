"""`python -m benchmarks.tools.simulated_hands SOCKET`: many hands' workers in one process, no PTYs.

Each is the worker itself, with its rings, its credit and its pacing, and speaks the real protocol.
Only what is below it is simulated: a host whose programs print and echo by timers. A hand's command
is `load bridge SOCKET`, which passes its end of the line to us.

Orders are lines on stdin: `print COUNT RATE` has so many of the agent-like sessions print, RATE
updates a second each; `tell` is answered on stdout by one line, a `Told` as JSON.
"""

from __future__ import annotations

import os
import random
import socket
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_worker.pty.activity import Activity, Process
from nagomi_worker.pty.command import StartError
from nagomi_worker.pty.interface import Ended, Wake
from nagomi_worker.runtime.inherited import raise_limit
from nagomi_worker.runtime.limits import Limits
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.server import Server
from nagomi_worker.wire.peer import SocketStream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nagomi_worker.confine.interface import Confinement, Report
    from nagomi_worker.pty.command import Launch
    from nagomi_worker.wire.messages import Guard, Left

assert sys.platform == "linux"  # for its eventfd
_FIRST_PID: Final = 1 << 24
"""Above every process id that Linux gives."""
_WORDS: Final = "compiling kernel module warning in file src/main.rs expected token return".split()
_SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧"
_TICKS: Final = 100


class Told(msgspec.Struct, frozen=True):
    """What all lines together have carried, in bytes, and how many sessions run."""

    from_hands: int
    to_hands: int
    sessions: int
    lines: int


class SimulatedPty:
    """A program that says hello, echoes keys as `load echo` does, and prints when it is told to."""

    def __init__(self, pid: int, rows: int, ended: Callable[[Ended], None]) -> None:
        self.pid = pid
        self._rows = rows
        self._ended = ended
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._waiting = bytearray()
        self._over = False
        self._updates = 0
        self._dice = random.Random(pid)
        self.say(b"ready\r\n")

    def say(self, data: bytes) -> None:
        """Print."""
        if not self._waiting and not self._over:
            os.eventfd_write(self._fd, 1)
        self._waiting += data

    def update(self) -> None:
        """Print what an agent prints in one update: a word or two, its spinner and its clock."""
        n, word = self._updates, self._dice.choice(_WORDS)
        self._updates += 1
        line_end = "\r\n" if n % 12 == 11 else ""
        spinner = f"\x1b7\x1b[{self._rows};1H\x1b[38;5;208m{_SPINNER[n % 8]} Thinking ({n // 12}s)\x1b[m\x1b8"
        self.say(f"{word} {line_end}{spinner}".encode())

    def finish(self, code: int, signal: int | None) -> None:
        """End the program."""
        if not self._over:
            self._over = True
            os.eventfd_write(self._fd, 1)
            self._ended(Ended(self.pid, code, signal))

    def fileno(self) -> int:
        return self._fd

    def read(self, size: int) -> bytes:
        if not self._waiting:
            if self._over:
                return b""
            raise BlockingIOError
        data = bytes(self._waiting[:size])
        del self._waiting[:size]
        if not self._waiting and not self._over:
            os.eventfd_read(self._fd)
        return data

    def write(self, data: memoryview) -> int:
        for key in bytes(data):
            if 97 <= key <= 120:
                self.say(f"\r> {chr(0x3B1 + key - 97)} \x1b[K".encode())
        return len(data)

    def resize(self, cols: int, rows: int) -> None:
        self._rows = rows

    def signal(self, name: str) -> None:
        self.finish(130, 2)

    def look(self) -> Activity:
        used = self._updates * _TICKS // 50
        agent = Process(self.pid, "agent", "S", used, "ep_poll", "232 0x3")
        return Activity(self.pid, shell=False, icanon=False, echo=False, procs=(agent,))

    def reads_unseen(self) -> bool:
        return False

    def close(self) -> None:
        os.close(self._fd)


class SimulatedTree:
    """The one process of a session."""

    def __init__(self, pty: SimulatedPty) -> None:
        self._pty = pty

    def look(self) -> Sequence[Left]:
        return ()

    def any_left(self) -> bool:
        return False

    def send(self, step: str) -> None:
        self._pty.finish(129, 1)


class SimulatedHost:
    """Starts simulated programs; those that are to print are kept by the fleet."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._over: list[Ended] = []

    def spawn(self, order: Launch) -> SimulatedPty:
        pty = SimulatedPty(self._fleet.next_pid(), order.rows, self._note)
        if "agent" in order.argv[-1]:
            self._fleet.agents.append(pty)
        return pty

    def confine(
        self,
        loop: Loop,
        guard: Guard,
        env: Mapping[str, str],
        tell: Callable[[Report], None],
    ) -> Confinement:
        raise StartError("A simulated host has no kernel that could hold a project.")

    def tree(self, session_id: str, pty: object) -> SimulatedTree:
        assert isinstance(pty, SimulatedPty)
        return SimulatedTree(pty)

    def fileno(self) -> int:
        return self._fd

    def wake(self) -> Wake:
        over, self._over = self._over, []
        if over:
            os.eventfd_read(self._fd)
        return Wake(over, terminate=False)

    def end_all(self) -> None:
        """There is nobody."""

    def close(self) -> None:
        os.close(self._fd)

    def _note(self, ended: Ended) -> None:
        if not self._over:
            os.eventfd_write(self._fd, 1)
        self._over.append(ended)


class CountedStream(SocketStream):
    """A line whose bytes are counted; its bridge ends with it."""

    def __init__(self, line: socket.socket, bridge: socket.socket, fleet: Fleet) -> None:
        super().__init__(line)
        self._bridge = bridge
        self._fleet = fleet
        fleet.lines += 1

    def read(self) -> bytes:
        data = super().read()
        self._fleet.to_hands += len(data)
        return data

    def write(self, data: memoryview) -> int:
        written = super().write(data)
        self._fleet.from_hands += written
        return written

    def close(self) -> None:
        super().close()
        self._bridge.close()
        self._fleet.lines -= 1


class Fleet:
    """All workers, on one loop."""

    def __init__(self, path: str) -> None:
        self.agents: list[SimulatedPty] = []
        self.from_hands = self.to_hands = self.lines = 0
        self._printing: list[SimulatedPty] = []
        self._seconds = 1.0
        self._round = 0
        self._pid = _FIRST_PID
        self._servers: dict[str, Server] = {}
        self._loop = Loop()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(512)
        self._ending = False
        self._loop.watch(self._listener.fileno(), read=self._accept, write=None)
        self._loop.watch(sys.stdin.fileno(), read=self._ordered, write=None)

    def next_pid(self) -> int:
        """Return the next number for a program."""
        self._pid += 1
        return self._pid

    def run(self) -> None:
        """Serve until stdin ends."""
        while not self._ending:
            busy = [server for server in self._servers.values() if server.reader.busy]
            for server in busy:
                with server.delivery.together():
                    for session in server.reader.next_sessions():
                        server.guarded(session.session_id, partial(server.reader.serve, session))
            self._loop.turn(block=not any(server.reader.busy for server in busy))

    def _accept(self) -> None:
        bridge, _ = self._listener.accept()
        said, [line], _, _ = socket.recv_fds(bridge, 4096, 1)
        name = said.decode()
        if name not in self._servers:
            host = SimulatedHost(self)
            self._servers[name] = Server(self._loop, host, Limits(), resident=True)
        self._servers[name].connect(CountedStream(socket.socket(fileno=line), bridge, self))

    def _ordered(self) -> None:
        data = os.read(sys.stdin.fileno(), 4096)
        self._ending = not data
        for line in data.decode().splitlines():
            self._obey(line.split())

    def _obey(self, order: list[str]) -> None:
        match order:
            case ["print", count, rate]:
                self._print(int(count), float(rate))
            case ["tell"]:
                running = sum(len(server.sessions) for server in self._servers.values())
                told = Told(self.from_hands, self.to_hands, running, self.lines)
                print(msgspec.json.encode(told).decode(), flush=True)

    def _print(self, count: int, rate: float) -> None:
        self._round += 1
        self._printing, self._seconds = self.agents[:count], 1 / rate
        for number, pty in enumerate(self._printing):
            self._later(pty, self._seconds * number / count, self._round)

    def _later(self, pty: SimulatedPty, seconds: float, order: int) -> None:
        self._loop.call_later(seconds, partial(self._update, pty, order))

    def _update(self, pty: SimulatedPty, order: int) -> None:
        if order == self._round:
            pty.update()
            self._later(pty, self._seconds, order)


if __name__ == "__main__":
    raise_limit()
    Fleet(sys.argv[1]).run()
