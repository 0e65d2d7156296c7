"""Which session native code works on, written so that it survives a crash of this process.

It is a small mapped file: setting it is a memory write, which the kernel keeps when we die.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from pathlib import Path
from typing import Final, NamedTuple

from nagomi_tui.system import files

FEED: Final = b"f"
RESTORE: Final = b"r"
OTHER: Final = b"o"
_NOTHING: Final = 0
_ID: Final = slice(1, 37)
_STRIKE_ID: Final = slice(37, 73)
_ASIDE: Final = 74
_ASIDE_ID: Final = slice(75, 111)
COUNT: Final = slice(112, 120)
"""The bytes of a counter that changes with each call into native code; the supervisor reads it."""
_BYTES: Final = 120
FILE_NAME: Final = "feeding"


class Suspect(NamedTuple):
    """The session whose terminal engine was running when the last orchestrator died."""

    session_id: str
    restoring: bool
    """Whether it died while restoring the session's snapshot, which is not to be trusted then."""


class CrashMarker:
    """The marker of this process. Where the file cannot be made, nothing is marked."""

    def __init__(self, path: Path) -> None:
        self._map: mmap.mmap | bytearray = bytearray(_BYTES)
        self._pieces = 0
        with contextlib.suppress(OSError, ValueError):
            fd = files.opened(path, os.O_RDWR | os.O_CREAT)
            with open(fd, "r+b", buffering=0) as file:
                kept = file.read(_BYTES).ljust(_BYTES, b"\0")
                file.seek(0)
                # On a full disk a write to a mapped page without a block ends the process.
                file.write(kept)
                self._map = mmap.mmap(fd, _BYTES)

    def enter(self, session: bytes, phase: bytes) -> None:
        """Native code begins to work on the session with this id."""
        self._pieces += 1
        self._map[COUNT] = self._pieces.to_bytes(8, "little")
        self._map[_ID] = session
        self._map[0:1] = phase

    def leave(self) -> None:
        """It has come back."""
        self._map[0] = _NOTHING

    def enter_aside(self, session: bytes) -> None:
        """Native code begins to read the session in another thread."""
        self._map[_ASIDE_ID] = session
        self._map[_ASIDE] = 1

    def leave_aside(self) -> None:
        """It has come back."""
        self._map[_ASIDE] = _NOTHING

    def judge(self, after: str) -> Suspect | None:
        """Return the session to distrust, or None, and clear the marker.

        `after` is how the last orchestrator ended. If it was killed from outside, no session is to
        blame; if that is not known, only the second time in a row counts.
        """
        phase, marked = bytes(self._map[0:1]), bytes(self._map[_ID])
        if phase == bytes(1) and self._map[_ASIDE] != _NOTHING:
            phase, marked = OTHER, bytes(self._map[_ASIDE_ID])
        self.leave()
        self.leave_aside()
        if phase == bytes(1) or after in ("", "killed"):
            return None
        struck_before = bytes(self._map[_STRIKE_ID]) == marked
        self._map[_STRIKE_ID] = marked
        if after == "unknown" and not struck_before:
            return None
        return Suspect(marked.decode("ascii", "replace"), phase == RESTORE)

    def forgive(self) -> None:
        """Forget earlier crashes, since everything has run well for a while."""
        self._map[_STRIKE_ID] = bytes(36)
