"""The branch of a folder, read from git's own files without running git."""

from __future__ import annotations

import os
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

from nagomi_tui.system import deadlines
from nagomi_worker.inside.places import branch_in, find_head

_SECONDS: Final = 0.5
"""Seconds for which git's files may be read; a disk that sleeps is asked again later."""


class Branch:
    """The branch of one folder; checking it costs one `stat` while nothing has changed."""

    def __init__(self, folder: str, name: str = "") -> None:
        self.name = name
        self.real = folder
        """The folder with symbolic links resolved, once that is known."""
        self._folder = folder
        self._slots = BoundedSemaphore()
        self._head: Path | None = None
        self._stamp = -1
        self._found = False
        self._seen = name

    async def look(self) -> bool:
        """Read the branch again if its file has changed; return whether the name has changed.

        If the folder does not answer, the name stays as it was.
        """
        try:
            await deadlines.run(self._read, seconds=_SECONDS, slots=self._slots)
        except (OSError, ValueError):
            return False
        before, self.name = self.name, self._seen
        return self.name != before

    def _read(self) -> None:
        """Read the files; only one thread does so at a time."""
        if not self._found:
            self.real = os.path.realpath(self._folder)
            self._head = find_head(Path(self._folder))
            self._seen, self._found = "", True
        if self._head is None:
            return
        try:
            stamp = self._head.stat().st_mtime_ns
        except OSError:
            return
        if stamp != self._stamp:
            self._stamp, self._seen = stamp, branch_in(self._head)
