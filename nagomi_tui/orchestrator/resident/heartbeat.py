"""Tells the supervisor that this process lives, and starts another supervisor if it is dead."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import IO, Final

import anyio.to_thread

from nagomi_tui.api.launch import SUPERVISOR, resident_env
from nagomi_tui.orchestrator.resident.stuck import AGENT, BEAT
from nagomi_tui.orchestrator.runtime.requests import Lifetime
from nagomi_tui.orchestrator.runtime.timers import next_pulse
from nagomi_tui.system import files, paths
from nagomi_tui.system.platforms import WINDOWS
from nagomi_worker.runtime import process

_log = logging.getLogger(__name__)
BEAT_SECONDS: Final = 1.0


class Heartbeat:
    """The write end of the supervisor's pipe."""

    def __init__(self, lifetime: Lifetime, pipe: int) -> None:
        self._lifetime = lifetime
        self._pipe = pipe
        if pipe >= 0:
            os.set_inheritable(pipe, False)
            self._lifetime.supervisor_pid = os.getppid()
            if not WINDOWS:
                os.set_blocking(pipe, False)

    def send(self, word: bytes) -> bool:
        """Write a byte into the pipe; return whether the supervisor still reads it."""
        try:
            os.write(self._pipe, word)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True

    def want_agent(self) -> None:
        """Have the supervisor start the resident agent, unless that was asked for already."""
        self.send(AGENT)

    async def run(self) -> None:
        """Send heartbeats for ever."""
        while True:
            if not self.send(BEAT) and not self._lifetime.leaving.is_set():
                try:
                    await anyio.to_thread.run_sync(self._replace_supervisor)
                except OSError as exc:
                    _log.warning("no supervisor could be started: %s", exc)
                self.send(BEAT)
            await next_pulse(BEAT_SECONDS)

    def _replace_supervisor(self) -> None:
        """Start a supervisor that adopts this process as its orchestrator."""
        _log.warning("the supervisor is gone; another one is started")
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        its, self._pipe = os.pipe()
        try:
            with files.append(paths.log_file()) as log:
                self._lifetime.supervisor_pid = self._adopted_by(its, log)
        finally:
            os.close(its)

    def _adopted_by(self, pipe: int, log: IO[bytes]) -> int:
        """Start a supervisor that reads the pipe; return its process id."""
        command = [sys.executable, "-P", "-m", SUPERVISOR, "--adopt", str(os.getpid())]
        if WINDOWS:
            # There a child inherits no other files than these, and it need not fork to be alone.
            return process.start([*command, "0"], env=resident_env(), stdin=pipe, stderr=log).pid
        os.set_blocking(self._pipe, False)
        started = process.start(
            [*command, str(pipe)],
            env=resident_env(),
            stdout=subprocess.PIPE,
            stderr=log,
            pass_fds=(pipe,),
        )
        said, _ = started.communicate()
        return int(said) if said.strip().isdigit() else self._lifetime.supervisor_pid
