"""The pipes between the agent's process and its supervisor, and the agent's masked log."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from typing import Final

import anyio

from nagomi_tui.masking import mask
from nagomi_tui.system.platforms import WINDOWS

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
        if not WINDOWS:
            os.set_blocking(self._out, False)

    async def await_end(self) -> None:
        """Return when the supervisor closes the pipe, or is dead."""
        if WINDOWS:
            await self._await_end_by_thread()
            return
        while True:
            await anyio.wait_readable(self._in)
            if not os.read(self._in, _READ_BYTES):
                return

    async def _await_end_by_thread(self) -> None:
        """Read in a thread, since Windows cannot wait for a pipe; the process may end before it."""
        over = anyio.Event()
        loop = asyncio.get_running_loop()

        def read() -> None:
            with contextlib.suppress(OSError):
                while os.read(self._in, _READ_BYTES):
                    pass
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(over.set)

        threading.Thread(target=read, daemon=True).start()
        await over.wait()

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


_FORMAT: Final = "%(asctime)s agent %(process)d %(levelname)s %(name)s: %(message)s"


class _Masked(logging.Formatter):
    """Masks a record when it is whole: a traceback may quote a secret."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, masked."""
        return mask(super().format(record))


def begin() -> None:
    """Write what went wrong to stderr; libraries say only what is serious."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Masked(_FORMAT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("nagomi_tui").setLevel(logging.INFO)
    logging.raiseExceptions = False
