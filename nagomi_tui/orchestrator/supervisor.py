"""Keeps the orchestrator alive: starts it, restarts it when it dies or hangs, and no more.

It imports almost nothing and so has little that could fail. The orchestrator holds the write
end of a pipe: a byte a second says that it lives, a last word says that it leaves on purpose,
the end of the stream is its death.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

from nagomi_tui.orchestrator.resident.keepers import AgentKeeper, ZygoteKeeper
from nagomi_tui.orchestrator.resident.stuck import AGENT, BEAT, BUSY, QUIT, RELOAD, ReadEnd, Watch
from nagomi_tui.orchestrator.runtime.crash_marker import FILE_NAME
from nagomi_tui.system import files, paths
from nagomi_tui.system.platforms import WINDOWS
from nagomi_worker.runtime import process
from nagomi_worker.runtime.files import Busy, FileLock

SILENCE_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.25
_CALM_SECONDS: Final = 0.6
"""Seconds between two looks while no output is fed to any terminal."""
FIRST_BEAT_SECONDS: Final = 30.0
_SHORT_SECONDS: Final = 1.0
"""Seconds between two tries to start an orchestrator while the system lacks resources."""
_BACK_OFF: Final = (0.0, 0.2, 1.0, 3.0, 10.0, 30.0)
_CRASHES: Final = frozenset(
    {signal.SIGSEGV, signal.SIGILL, signal.SIGABRT, signal.SIGFPE, getattr(signal, "SIGBUS", 0)}
)
_FIRST_FAULT: Final = 0xC0000000
"""The exit codes of Windows that tell of a fault begin here (NTSTATUS)."""
_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)
"""On Windows `os.kill` ends a process at once with any signal."""


class Orchestrator:
    """One life of the orchestrator, as seen through its pipe."""

    def __init__(self, pid: int, pipe: int, child: subprocess.Popen[bytes] | None) -> None:
        self.pid = pid
        self.last_word = b""
        self._pipe = ReadEnd(pipe)
        self._child = child
        self._hung = False
        self._watch = Watch(pid, paths.state_folder() / FILE_NAME)

    def watch(self, on_words: Callable[[bytes], object]) -> None:
        """Call `on_words` with what the orchestrator says until it is dead; kill it if it hangs."""
        grace = FIRST_BEAT_SECONDS if self._child else SILENCE_SECONDS
        while said := self._listen(grace):
            self.last_word = said[-1:]
            self._watch.heard()
            on_words(said)
            grace = SILENCE_SECONDS
        if self._hung:
            self.kill(_KILL)
        self._pipe.close()
        self._watch.close()
        if self._child:
            self._child.wait()

    def kill(self, number: signal.Signals) -> None:
        """Send the orchestrator a signal, if it has not gone already."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, number)

    def end(self) -> str:
        """Wait for its end, and return how it ended, for its successor."""
        if self._hung:
            return "hang"
        if self._child is None:
            return "unknown"
        code = self._child.returncode
        return "crash" if -code in _CRASHES or code >= _FIRST_FAULT else "killed"

    def _listen(self, grace: float) -> bytes:
        """Return what the orchestrator says within `grace` seconds; b"" if it is dead or hangs."""
        ready = False
        began = time.monotonic()
        while not ready and time.monotonic() - began < max(grace, FIRST_BEAT_SECONDS):
            pause = _CALM_SECONDS if self._watch.calm else _LOOK_SECONDS
            ready = self._pipe.wait(pause)
            if not ready and self._watch.is_stuck():
                self._hung = True
                return b""
            if time.monotonic() - began > grace and not self._watch.is_starving():
                break
        if not ready:
            # A machine that was itself stopped wakes up late: look once more before judging.
            ready = self._pipe.wait(0.2)
        self._hung = not ready
        return self._pipe.read() if ready else b""


class Supervisor:
    """Starts one orchestrator after the other until one leaves on purpose."""

    def __init__(self, current: Orchestrator | None, *, wants_agent: bool) -> None:
        self._current = current
        self._terminated = False
        self._early_deaths = 0
        self._zygote = ZygoteKeeper()
        self._agent = AgentKeeper(wanted=wants_agent)

    def run(self) -> None:
        """Run until the workplace was closed, or another supervisor has taken over."""
        signal.signal(signal.SIGTERM, self._on_terminate)
        try:
            self._run()
        finally:
            self._zygote.end()
            self._agent.end()

    def _run(self) -> None:
        after = ""
        while not self._terminated:
            try:
                current = self._current = self._current or start(after)
            except OSError:  # no process or file is free for it
                time.sleep(_SHORT_SECONDS)
                continue
            current.watch(self._heard)
            self._current = None
            if current.last_word in (QUIT, BUSY):
                return
            if current.last_word == RELOAD:
                self._zygote.end()
                self._agent.end()
                _become_new_version(wants_agent=self._agent.wanted)
            after = current.end()
            self._pause_after(current)

    def _heard(self, said: bytes) -> None:
        if AGENT in said:
            self._agent.want()
        if said.endswith(BEAT):
            self._zygote.beat()
            self._agent.beat()

    def _pause_after(self, ended: Orchestrator) -> None:
        """Wait only if it died before its first heartbeat, each time longer."""
        self._early_deaths = 0 if ended.last_word else self._early_deaths + 1
        time.sleep(_BACK_OFF[min(max(0, self._early_deaths - 1), len(_BACK_OFF) - 1)])

    def _on_terminate(self, number: int, frame: FrameType | None) -> None:
        self._terminated = True
        if self._current:
            self._current.kill(signal.SIGTERM)


def start(after: str) -> Orchestrator:
    """Start an orchestrator; `after` tells it how the one before ended.

    Raises:
        OSError: the system lacks the resources for another process.
    """
    mine, its = os.pipe()
    command = [sys.executable, "-P", "-m", "nagomi_tui.orchestrator"]
    if after:
        command += ["--after", after]
    try:
        child = _started(command, its)
    except OSError:
        os.close(mine)
        raise
    finally:
        os.close(its)
    return Orchestrator(child.pid, mine, child)


def _started(command: list[str], pipe: int) -> subprocess.Popen[bytes]:
    if not WINDOWS:
        told = [*command, "--heartbeat", str(pipe)]
        return subprocess.Popen(told, pass_fds=(pipe,), stdin=subprocess.DEVNULL)
    # There a child inherits no other files than these.
    told = [*command, "--heartbeat", "1"]
    return subprocess.Popen(
        told, stdin=subprocess.DEVNULL, stdout=pipe, creationflags=process.NO_WINDOW
    )


def adopted(arguments: list[str]) -> Orchestrator | None:
    """Return the running orchestrator that started us: `--adopt PID PIPE`."""
    if arguments[:1] != ["--adopt"]:
        return None
    pipe = int(arguments[2])
    if WINDOWS:
        pipe = os.dup(pipe)
    os.set_inheritable(pipe, False)
    return Orchestrator(int(arguments[1]), pipe, None)


def _become_new_version(*, wants_agent: bool) -> None:
    """Run the installed version's supervisor in our place: the files may be newer ones now."""
    command = [sys.executable, "-P", "-m", "nagomi_tui.orchestrator.supervisor", "--again"]
    command += ["--agent"] if wants_agent else []
    if not WINDOWS:
        os.execv(sys.executable, command)
    # `execv` would start another process there as well, but mistakes spaces in a path.
    with files.append(paths.log_file()) as log:
        process.start(command, env=os.environ, stderr=log)
    sys.exit(0)


def _detach() -> None:
    """Leave the starter's process tree and terminal; the starter goes on when this returns."""
    if not WINDOWS:
        if child := os.fork():
            print(child, flush=True)  # noqa: T201
            os._exit(0)
        # The starter may read what we print to its end.
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.close(nothing)
        if os.getsid(0) != os.getpid():
            os.setsid()
    os.chdir("/")


def _own_signals() -> None:
    """Reset signals that the starter ignored or blocked, which all our children would inherit."""
    if not WINDOWS:
        from nagomi_worker.runtime import inherited

        inherited.undo_ignored_signals()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def main() -> None:
    """Hold the supervisor's lock, and keep an orchestrator running."""
    _own_signals()
    arguments = sys.argv[1:]
    if arguments[:1] != ["--again"]:
        try:
            _detach()
        except OSError as exc:
            sys.exit(f"nagomi: the supervisor cannot be started: {exc}")
    lock = FileLock(paths.state_folder() / "supervisor.lock")
    orchestrators = FileLock(paths.state_folder() / paths.ORCHESTRATOR_LOCK)
    before = orchestrators.stamped()
    try:
        lock.take(patience=2.0)
    except Busy:
        return
    except OSError as exc:
        sys.exit(f"nagomi: the supervisor's lock cannot be taken: {exc}")
    if orchestrators.was_stamped(before):  # the user has quit while we waited
        return
    Supervisor(adopted(arguments), wants_agent="--agent" in arguments).run()


if __name__ == "__main__":
    main()
