"""A real workplace in a folder of its own: supervisor, orchestrator and workers as processes.

Everything that it starts is found by its NAGOMI_HOME and ended by process id, whatever happens.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.api.client import Connection, Gone, NotServed, open_socket
from nagomi_tui.api.launch import ensure_running
from tests.helpers.homes import new_home
from tests.helpers.waiting import PATIENCE, alive, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class Place:
    """A workplace that runs in `home`."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def start(self) -> None:
        """Start it as the first `nagomi` does."""
        ensure_running()

    def connect(self, *, front_end: bool = False, **hello: Any) -> Connection:
        """Connect to it; wait while the orchestrator is being replaced."""
        env = hello.pop("env", None) or {
            name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ
        }
        # Children of sessions carry it too, and so are found in the end.
        env["NAGOMI_HOME"] = str(self.home)
        greeting = messages.Hello(version=__version__, front_end=front_end, env=env, **hello)

        def attempt() -> Connection | None:
            try:
                return Connection(open_socket(), hello=greeting)
            except (NotServed, Gone):
                return None

        return until(attempt)

    def pids(self) -> dict[int, str]:
        """Process ids and command lines of nagomi's own processes here, and of hands with its TMPDIR."""
        marks = {f"{name}={self.home}".encode() for name in ("NAGOMI_HOME", "TMPDIR")}
        found = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            with contextlib.suppress(OSError):
                if marks.isdisjoint(_bytes_of(f"/proc/{name}/environ").split(b"\0")):
                    continue
                if command := _bytes_of(f"/proc/{name}/cmdline").replace(b"\0", b" "):
                    found[int(name)] = command.decode(errors="replace")
        found.pop(os.getpid(), None)
        return found

    def pid_of(self, module: str) -> int:
        """Process id of the one process that runs a module."""
        return only(self.pids_of(module))

    def pids_of(self, module: str) -> list[int]:
        """Process ids of the processes that run a module."""
        return [pid for pid, command in self.pids().items() if f"-m {module} " in command + " "]

    @property
    def orchestrator(self) -> int:
        """Process id of the orchestrator."""
        return self._single("nagomi_tui.orchestrator")

    @property
    def supervisor(self) -> int:
        """Process id of the supervisor."""
        return self._single("nagomi_tui.orchestrator.supervisor")

    def _single(self, module: str) -> int:
        """Return the process of a module: a child that it starts looks like it for a moment."""

        def look() -> int:
            found = self.pids_of(module)
            return found[0] if len(found) == 1 else 0

        return int(until(look))

    @property
    def workers(self) -> list[int]:
        """Process ids of the workers."""
        return self.pids_of("nagomi_worker")

    def kill(self, pid: int) -> None:
        """`kill -9` a process of this workplace, and wait until it is dead."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        until(lambda: not alive(pid))

    def end_residents(self) -> None:
        """End supervisor and orchestrator, and leave workers and sessions alone."""

        def residents() -> list[int]:
            names = ("nagomi_tui.orchestrator.supervisor", "nagomi_tui.orchestrator")
            return [pid for name in names for pid in self.pids_of(name)]

        while found := residents():
            for pid in found:
                self.kill(pid)

    def end(self) -> None:
        """End every process that belongs here, those that are started meanwhile too."""
        deadline = time.monotonic() + PATIENCE
        while found := self.pids():
            for pid in sorted(found):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            assert time.monotonic() < deadline, f"processes would not end: {found}"
            time.sleep(0.02)


def _bytes_of(path: str) -> bytes:
    """Read a file as quickly as can be: there is one of each process, and tests look often."""
    with open(path, "rb", buffering=0) as file:
        return file.read()


@contextmanager
def workplace(*, start: bool = True, home: Path | None = None) -> Iterator[Place]:
    """Give a workplace in an empty home; end all of it afterwards."""
    folder = new_home() if home is None else home
    before = {name: os.environ.get(name) for name in ("NAGOMI_HOME", "TMPDIR")}
    os.environ["NAGOMI_HOME"] = str(folder)
    place = Place(folder)
    sockets = None
    try:
        from nagomi_tui.system import paths

        sockets = paths.socket_folder()
        # Its user is no newcomer, who would be asked a few questions first.
        paths.make_private(paths.state_folder())
        paths.welcomed_file().touch()
        if start:
            place.start()
        yield place
    finally:
        place.end()
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        for leftover in (folder, sockets):
            if leftover is not None:
                shutil.rmtree(leftover, ignore_errors=True)


def create(connection: Connection, cmd: str, cwd: str = "/tmp", **more: Any) -> str:
    """Create a session and return its id."""
    order = messages.Create(id=0, cmd=cmd, cwd=cwd, **more)
    return connection.request(order, timeout=PATIENCE).session_id


def session(connection: Connection, session_id: str) -> dict[str, Any]:
    """Return a session as it stands now."""
    listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
    return plain(only([found for found in listed if found.session_id == session_id]))


def plain(result: Any) -> dict[str, Any]:
    """Return what a request was answered as it was told in JSON."""
    told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(result))
    return told


def text_of(connection: Connection, session_id: str, *, history: bool = False) -> str:
    """Return a session's text."""
    order = messages.Capture(id=0, session=session_id, history=history)
    return connection.request(order, timeout=PATIENCE).text


def wait_for(connection: Connection, session_id: str, pattern: str) -> None:
    """Wait until a session has printed a line that matches."""
    order = messages.Wait(
        id=0, session=session_id, until="output", pattern=pattern, timeout=PATIENCE
    )
    found = connection.request(order, timeout=PATIENCE + 5)
    assert found.reason == "output", (found, text_of(connection, session_id))


def only(items: Sequence[Any]) -> Any:
    """Return the one item."""
    assert len(items) == 1, items
    return items[0]
