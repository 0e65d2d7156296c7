"""Terminals on Windows, through pywinpty's low-level `PTY`.

Its reads block and take no size. So each terminal has threads that carry bytes between it and a
socket pair, and the event loop sees a socket that behaves like a POSIX terminal. A pseudo console
may never report its end, so the end of the process is waited for instead.
"""

from __future__ import annotations

import codecs
import contextlib
import queue
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from winpty import PTY, WinptyError

from nagomi_worker.confine.interface import Confinement, Report
from nagomi_worker.pty.activity import Activity
from nagomi_worker.pty.command import Launch, StartError
from nagomi_worker.pty.interface import Ended, Pty, Tree, Wake
from nagomi_worker.runtime.limits import WorkerFault
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire.messages import Guard, Left

_GRACE: Final = 0.2
"""Seconds after the end of the process in which its last output may arrive."""
_PIECE: Final = 4096


class JobLike(Protocol):
    """A process and all its descendants, as `job_windows.Job` is."""

    def wait(self) -> None:
        """Block until the first process ends."""

    def processes(self) -> list[Left]:
        """Return the processes that are alive."""

    def end(self) -> None:
        """End all of them at once."""


class WindowsPty:
    """One pseudo console; a thread calls `on_end` when all output was passed on."""

    def __init__(self, terminal: PTY, job: JobLike, on_end: Callable[[Ended], None]) -> None:
        self.pid = terminal.pid or 0
        self.job = job
        self._terminal = terminal
        self._on_end = on_end
        self._over = threading.Event()
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._output = _thread(self._carry_output)
        _thread(self._carry_input)
        _thread(self._watch)

    def fileno(self) -> int:
        return self._ours.fileno()

    def read(self, size: int) -> bytes:
        try:
            return self._ours.recv(size)
        except ConnectionError:
            return b""

    def write(self, data: memoryview) -> int:
        try:
            return self._ours.send(data)
        except ConnectionError:
            return len(data)

    def resize(self, cols: int, rows: int) -> None:
        self._terminal.set_size(cols, rows)

    def signal(self, name: str) -> None:
        if name == "INT":
            self.write(memoryview(b"\x03"))
        elif name in ("TERM", "KILL", "HUP"):
            self.job.end()
        else:
            raise WorkerFault("There is no signal {name} on this system.", name=name)

    def look(self) -> Activity | None:
        return None

    def reads_unseen(self) -> bool:
        return False

    def takes_lines(self) -> bool:
        return False

    def close(self) -> None:
        self._over.set()
        with contextlib.suppress(WinptyError):
            self._terminal.cancel_io()
        self._ours.close()
        self._theirs.close()

    def _carry_output(self) -> None:
        with contextlib.suppress(WinptyError, OSError):
            while not self._terminal.iseof():
                piece = self._terminal.read(True)
                if not piece and self._over.is_set():
                    break
                self._theirs.sendall(piece.encode("utf-8", "replace"))
        with contextlib.suppress(OSError):
            self._theirs.shutdown(socket.SHUT_WR)

    def _carry_input(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with contextlib.suppress(WinptyError, OSError):
            while piece := self._theirs.recv(_PIECE):
                if words := decoder.decode(piece):
                    self._terminal.write(words)

    def _watch(self) -> None:
        self.job.wait()
        self._output.join(_GRACE)
        self._over.set()
        with contextlib.suppress(WinptyError):
            self._terminal.cancel_io()
        self._output.join()
        self._on_end(Ended(self.pid, self._terminal.get_exitstatus() or 0))


class WindowsHost:
    """Spawns pseudo consoles; the threads that watch them report their ends."""

    def __init__(self, job: Callable[[int], JobLike] | None = None) -> None:
        self._job = job or _real_job
        self._ended: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        self._jobs: list[JobLike] = []
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)

    def fileno(self) -> int:
        return self._wake_in.fileno()

    def wake(self) -> Wake:
        with contextlib.suppress(BlockingIOError):
            self._wake_in.recv(_PIECE)
        ended: list[Ended] = []
        while not self._ended.empty():
            ended.append(self._ended.get())
        return Wake(ended, terminate=False)

    def spawn(self, order: Launch) -> Pty:
        program, *arguments = order.argv
        env = "".join(f"{name}={value}\0" for name, value in order.env.items()) + "\0"
        try:
            terminal = PTY(order.cols, order.rows)
            cmdline = f" {' '.join(arguments)}" if arguments else None
            terminal.spawn(program, cmdline=cmdline, cwd=order.cwd, env=env)
            job = self._job(terminal.pid or 0)
        except (WinptyError, OSError) as exc:
            raise StartError(
                "{program} could not be started: {reason}. Check the command.",
                program=program,
                reason=exc,
            ) from exc
        self._jobs.append(job)
        return WindowsPty(terminal, job, self._on_end)

    def confine(
        self, loop: Loop, guard: Guard, env: Mapping[str, str], tell: Callable[[Report], None]
    ) -> Confinement:
        raise StartError("Strict mode is off: it needs Linux.")

    def tree(self, session_id: str, pty: Pty) -> Tree:
        assert isinstance(pty, WindowsPty)
        return JobTree(pty.job)

    def end_all(self) -> None:
        for job in self._jobs:
            job.end()

    def close(self) -> None:
        self._wake_in.close()
        self._wake_out.close()

    def _on_end(self, ended: Ended) -> None:
        self._ended.put(ended)
        with contextlib.suppress(OSError):
            self._wake_out.send(b"\0")


class JobTree:
    """A session's processes, by its job object; Windows can only end them at once."""

    def __init__(self, job: JobLike) -> None:
        self._job = job

    def look(self) -> list[Left]:
        return self._job.processes()

    def any_left(self) -> bool:
        return bool(self._job.processes())

    def send(self, step: str) -> None:
        self._job.end()


def _thread(target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread


def _real_job(pid: int) -> JobLike:
    if sys.platform == "win32":
        from nagomi_worker.pty.job_windows import Job

        return Job(pid)
    raise NotImplementedError("job objects are a part of Windows")
