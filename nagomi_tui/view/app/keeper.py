"""Keeps what outlives a front end in a file of its own, which the next one takes up."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui import deadline_thread, files, paths
from nagomi_tui.decoding import from_json
from nagomi_tui.view.screens.keeping import Kept
from nagomi_worker.runtime import lock

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future
    from pathlib import Path

_MOST: Final = 16
"""Front ends at a time whose state is kept."""
_SECONDS: Final = 0.5
"""For so long a dead disk may hold the front end up."""


class Keeper:
    """Holds one of a few files; no two front ends have the same one at a time."""

    def __init__(self, folder: Path, terminal: str) -> None:
        """`terminal` names the terminal, whose last front end is preferred to the newest one."""
        self._folder = folder
        self._terminal = terminal
        self._path: Path | None = None
        self._lock: lock.FileLock | None = None
        self._kept = self._wanted = Kept()
        """What was written last, or is being written, and what is to be there in the end."""
        self._writing: Future[None] | None = None

    def take(self) -> Kept:
        """Return what a front end has left that does not run any more; else defaults."""
        with contextlib.suppress(OSError, TimeoutError, paths.PlaceError):
            self._kept = self._wanted = deadline_thread.wait(self._take, seconds=_SECONDS)
        return self._kept

    def keep(self, kept: Kept) -> None:
        """Write it down in another thread, if it has changed and nothing else is being written.

        What came meanwhile is written by the next call, or by `release`. A disk that takes nothing
        is passed over.
        """
        self._wanted = msgspec.structs.replace(kept, terminal=self._terminal)
        if self._writing is None or self._writing.done():
            self._write()

    def _write(self) -> None:
        path, kept = self._path, self._wanted
        if path is None or kept == self._kept:
            return
        data = msgspec.json.encode(kept)
        with contextlib.suppress(TimeoutError):
            self._writing = deadline_thread.begin(lambda: files.write(path, data))
            self._kept = kept

    def _wait(self) -> None:
        if self._writing is not None:
            with contextlib.suppress(OSError, TimeoutError):
                self._writing.result(_SECONDS)

    def release(self) -> None:
        """Write down what is not there yet, and leave the file to another front end."""
        self._wait()
        if self._writing is None or self._writing.done():
            self._write()
            self._wait()
        self._path = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _take(self) -> Kept:
        paths.make_private(self._folder)
        known = {self._folder / f"{n}.json": Kept() for n in range(1, _MOST + 1)}
        left = [path for path in paths.listed(self._folder, "*.json") if path in known]
        known |= {path: _read(path) for path in left}
        left.sort(key=lambda path: (known[path].terminal == self._terminal, _age(path)))
        for path in (*reversed(left), *(path for path in known if path not in left)):
            held = lock.FileLock(lock.lock_path(path))
            try:
                held.take(patience=0.0)
            except lock.Busy:
                continue
            self._path, self._lock = path, held
            return known[path]
        return Kept()


def terminal_of(env: Mapping[str, str]) -> str:
    """Return a name for the terminal that this process runs in."""
    name = ""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # no terminal
            name = os.ttyname(0)
    return f"{env.get('TMUX_PANE', '')} {name}".strip()


def _read(path: Path) -> Kept:
    try:
        return from_json(files.read(path), Kept)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Kept()


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
