"""Names of files and folders that begin as typed, for completion; a dead disk offers none."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

from nagomi_tui.system import deadlines

_SECONDS: Final = 0.2
_slots = BoundedSemaphore(8)


def beginning(typed: str, *, base: str = "/", files: bool, limit: int) -> list[str]:
    """Return the paths that begin as typed, written in the same way; folders end in a slash.

    What is relative begins at `base`; `~` is the user's home. Hidden names are offered only
    where a dot was typed.
    """
    try:
        work = partial(_beginning, typed, base, files=files, limit=limit)
        return deadlines.wait(work, seconds=_SECONDS, slots=_slots)
    except TimeoutError:
        return []


def _beginning(typed: str, base: str, *, files: bool, limit: int) -> list[str]:
    parent, slash, begun = typed.rpartition("/")
    place = Path(base) / Path(parent + slash).expanduser()
    try:
        with os.scandir(place) as entries:
            names = sorted(_written(entry) for entry in entries if _offered(entry, begun, files))
    except (OSError, RuntimeError, ValueError):  # no such folder, home or name
        return []
    return [f"{parent}{slash}{name}" for name in names[:limit]]


def _written(entry: os.DirEntry[str]) -> str:
    return f"{entry.name}/" if _is_folder(entry) else entry.name


def _offered(entry: os.DirEntry[str], begun: str, files: bool) -> bool:
    if not entry.name.startswith(begun) or (entry.name.startswith(".") and not begun):
        return False
    return files or _is_folder(entry)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
