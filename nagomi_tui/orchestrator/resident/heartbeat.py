"""Tells the supervisor that this process lives, and starts another supervisor if it is dead."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from nagomi_tui import files, paths
from nagomi_tui.api.launch import SUPERVISOR, resident_env
from nagomi_tui.orchestrator.resident.pipe import AGENT, BEAT
from nagomi_tui.orchestrator.runtime.pulse import next_pulse

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.runtime.lifetime import Lifetime

_log = logging.getLogger(__name__)
BEAT_SECONDS: Final = 1.0


class Heartbeat:
    """The write end of the supervisor's pipe."""

    def __init__(self, lifetime: Lifetime, pipe: int) -> None:
        self._lifetime = lifetime
        self._pipe = pipe
        self.supervisor_pid = 0
        if pipe >= 0 and sys.platform != "win32":
            os.set_inheritable(pipe, False)
            os.set_blocking(pipe, False)
            self.supervisor_pid = os.getppid()

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
        if sys.platform == "win32":
            return
        _log.warning("the supervisor is gone; another one is started")
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        its, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        command = [sys.executable, "-P", "-m", SUPERVISOR]
        try:
            with files.append(paths.log_file()) as log:
                started = subprocess.run(
                    [*command, "--adopt", str(os.getpid()), str(its)],
                    pass_fds=(its,),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd="/",
                    env=resident_env(),
                    start_new_session=True,
                    check=False,
                )
        finally:
            os.close(its)
        if started.stdout.strip().isdigit():
            self.supervisor_pid = int(started.stdout)
