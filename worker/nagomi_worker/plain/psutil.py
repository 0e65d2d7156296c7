"""What the worker uses of psutil, in Python: from /proc, or from what `ps` prints."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from nagomi_worker.runtime.proc import read_stat

STATUS_ZOMBIE = "zombie"
STATUS_STOPPED = "stopped"
_KEPT_SECONDS = 0.2
"""For so long one run of `ps` answers for all processes."""


class Error(Exception):
    """A process has ended, or may not be looked at."""


class Process:
    """One process, told from a later one of the same id by when it started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._began = _source.look(pid).began

    def is_running(self) -> bool:
        try:
            return _source.look(self.pid).began == self._began
        except Error:
            return False

    def status(self) -> str:
        told = {"Z": STATUS_ZOMBIE, "T": STATUS_STOPPED, "t": STATUS_STOPPED}
        return told.get(_source.look(self.pid).state, "running")

    def ppid(self) -> int:
        return _source.look(self.pid).parent

    def name(self) -> str:
        return _source.look(self.pid).name

    def cmdline(self) -> list[str]:
        return _source.words(self.pid)

    def environ(self) -> dict[str, str]:
        return _source.environ(self.pid)

    def send_signal(self, number: int) -> None:
        if not self.is_running():
            raise Error(f"process {self.pid} has ended")
        try:
            os.kill(self.pid, number)
        except OSError as exc:
            raise Error(str(exc)) from exc


class _Look:
    """What is told of one process."""

    def __init__(self, name: str, state: str, parent: int, began: str) -> None:
        self.name, self.state, self.parent, self.began = name, state, parent, began


class _Proc:
    """/proc of Linux; the fields are proc(5)'s."""

    def pids(self) -> list[int]:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]

    def look(self, pid: int) -> _Look:
        try:
            found = read_stat(pid)
        except OSError as exc:
            raise Error(str(exc)) from exc
        return _Look(found.name, found.state, found.parent, found.began)

    def words(self, pid: int) -> list[str]:
        return [os.fsdecode(word) for word in self._read(pid, "cmdline").split(b"\0")[:-1]]

    def environ(self, pid: int) -> dict[str, str]:
        told = os.fsdecode(self._read(pid, "environ")).split("\0")
        return dict(one.split("=", 1) for one in told if "=" in one)

    def _read(self, pid: int, name: str) -> bytes:
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                return file.read()
        except OSError as exc:
            raise Error(str(exc)) from exc


class _Ps:
    """`ps`, which macOS and the BSDs have; it does not tell environments."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[_Look, str]] = {}
        self._until = 0.0

    def pids(self) -> list[int]:
        return list(self._listed())

    def look(self, pid: int) -> _Look:
        return self._found(pid)[0]

    def words(self, pid: int) -> list[str]:
        return self._found(pid)[1].split()

    def environ(self, pid: int) -> dict[str, str]:
        raise Error(f"the environment of process {pid} is not told")

    def _found(self, pid: int) -> tuple[_Look, str]:
        try:
            return self._listed()[pid]
        except KeyError:
            raise Error(f"process {pid} has ended") from None

    def _listed(self) -> dict[int, tuple[_Look, str]]:
        if time.monotonic() > self._until:
            told = self._run()
            self._seen = dict(map(self._parsed, told.splitlines()))
            self._until = time.monotonic() + _KEPT_SECONDS
        return self._seen

    def _run(self) -> str:
        # In the C locale a start is five words, as `Mon Nov 23 20:15:01 2026`.
        words = ["ps", "-axww", "-o", "pid=,ppid=,state=,lstart=,command="]
        env = {**os.environ, "LC_ALL": "C"}
        try:
            done = subprocess.run(words, stdout=subprocess.PIPE, env=env, timeout=5, check=True)
        except (OSError, subprocess.SubprocessError) as exc:
            raise Error(str(exc)) from exc
        return os.fsdecode(done.stdout)

    def _parsed(self, line: str) -> tuple[int, tuple[_Look, str]]:
        pid, parent, state, *began, command = [*line.split(None, 8), ""][:9]
        name = os.path.basename(command.split(" ")[0])
        return int(pid), (_Look(name, state[:1], int(parent), " ".join(began)), command)


_source = _Proc() if sys.platform == "linux" else _Ps()
pids = _source.pids
