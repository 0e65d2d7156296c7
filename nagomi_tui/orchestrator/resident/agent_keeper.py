"""Keeps the resident agent running once it is wanted; a part of the supervisor."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

from nagomi_tui.orchestrator.resident.children import let_end
from nagomi_tui.orchestrator.resident.read_end import ReadEnd
from nagomi_worker.runtime.detaching import NO_WINDOW

_PAUSES: Final = (0, 1, 3, 10, 30, 60)
"""Heartbeats (seconds) until the next start, by the number of early deaths in a row."""
_EARLY_BEATS: Final = 20
_SILENT_BEATS: Final = 20
"""Heartbeats (seconds) without a sign of life after which the agent is replaced."""
_END_SECONDS: Final = 1.0


class AgentKeeper:
    """Starts the agent when it is wanted, and again when it has ended or hangs.

    Its standard input is a pipe at whose end it ends; what it writes to its output says that it
    lives.
    """

    def __init__(self, *, wanted: bool = False) -> None:
        self.wanted = wanted
        self._process: subprocess.Popen[bytes] | None = None
        self._says: ReadEnd | None = None
        self._deaths = 0
        self._pause = 0
        self._age = 0
        self._silent = 0

    def want(self) -> None:
        """Keep the agent running from now on."""
        self.wanted = True
        if self._process is None and not self._pause:
            self._start()

    def beat(self) -> None:
        """Check on the agent; called each second."""
        if self._process is None:
            self._pause = max(0, self._pause - 1)
            if self.wanted and not self._pause:
                self._start()
        elif self._process.poll() is not None:
            self._bury()
        else:
            self._look(self._process)

    def end(self) -> None:
        """End the agent, and return when it has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        let_end(process, _END_SECONDS)
        if self._says is not None:
            self._says.close()
            self._says = None

    def _start(self) -> None:
        self._age = self._silent = 0
        command = [sys.executable, "-P", "-m", "nagomi_tui.agent.resident"]
        mine, its = os.pipe()
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=its, bufsize=0, creationflags=NO_WINDOW
            )
        except OSError:
            os.close(mine)
            self._put_off()
        else:
            self._says = ReadEnd(mine)
        finally:
            os.close(its)

    def _look(self, process: subprocess.Popen[bytes]) -> None:
        self._age += 1
        said = self._says is not None and self._says.wait(0) and self._says.read()
        self._silent = 0 if said else self._silent + 1
        if self._silent > _SILENT_BEATS:
            process.kill()

    def _bury(self) -> None:
        self.end()
        self._deaths = 0 if self._age > _EARLY_BEATS else self._deaths
        self._put_off()
        if not self._pause:
            self._start()

    def _put_off(self) -> None:
        """Delay the next start, longer with each early death."""
        self._pause = _PAUSES[min(self._deaths, len(_PAUSES) - 1)]
        self._deaths += 1
