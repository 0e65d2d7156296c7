"""The read end of a pipe on which a child says that it lives: waited for, and never blocking."""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
from typing import Final

_READ_BYTES: Final = 4096

if sys.platform == "win32":

    class ReadEnd:
        """A thread reads, since Windows cannot wait for a pipe."""

        def __init__(self, fd: int) -> None:
            self._fd = fd
            self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
            self._next: bytes | None = None
            self._thread = threading.Thread(target=self._carry, daemon=True)
            self._thread.start()

        def wait(self, seconds: float) -> bool:
            """Tell whether something, or the end, is to be read within some seconds."""
            if self._next is None:
                try:
                    self._next = (
                        self._came.get(timeout=seconds) if seconds else self._came.get(False)
                    )
                except queue.Empty:
                    return False
            return True

        def read(self) -> bytes:
            """Return what has come; b"" at the end. Only after `wait` has told so."""
            said, self._next = self._next or b"", None
            if not said:
                self._next = said  # the end is told each time
            return said

        def close(self) -> None:
            """Close it, once the writer has closed its end, too."""
            self._thread.join(1.0)
            if not self._thread.is_alive():
                os.close(self._fd)

        def _carry(self) -> None:
            said = b"."
            while said:
                try:
                    said = os.read(self._fd, _READ_BYTES)
                except OSError:
                    said = b""
                self._came.put(said)

else:

    class ReadEnd:
        """The system tells when there is something."""

        def __init__(self, fd: int) -> None:
            self._fd = fd

        def wait(self, seconds: float) -> bool:
            """Tell whether something, or the end, is to be read within some seconds."""
            ready, _, _ = select.select([self._fd], [], [], seconds)
            return bool(ready)

        def read(self) -> bytes:
            """Return what has come; b"" at the end. Only after `wait` has told so."""
            return os.read(self._fd, _READ_BYTES)

        def close(self) -> None:
            """Close it."""
            os.close(self._fd)
