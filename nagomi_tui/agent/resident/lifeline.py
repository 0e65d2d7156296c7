"""The pipes between the agent and the supervisor: one ends with it, the other says that we live."""

from __future__ import annotations

import os
import sys
from typing import Final

import anyio

_BEAT_SECONDS: Final = 1.0
_READ_BYTES: Final = 512


class Lifeline:
    """Standard input and output, replaced for all other code of the process."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1):
            os.dup2(nothing, standard)
        os.close(nothing)
        if sys.platform != "win32":
            os.set_blocking(self._out, False)

    async def await_end(self) -> None:
        """Return when the supervisor closes the pipe, or is dead."""
        while True:
            await anyio.wait_readable(self._in)
            if not os.read(self._in, _READ_BYTES):
                return

    async def beat(self) -> None:
        """Send heartbeats for ever, without waiting for a supervisor that does not read."""
        while True:
            try:
                os.write(self._out, b".")
            except BlockingIOError:
                pass
            except OSError:
                return
            await anyio.sleep(_BEAT_SECONDS)
