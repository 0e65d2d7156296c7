"""Completion in dialogs: commands that were started before, and folders."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from textual.suggester import Suggester

from nagomi_tui import deadline_thread
from nagomi_tui.core.text.text import fuzzy_score

if TYPE_CHECKING:
    from collections.abc import Iterable

_SECONDS: Final = 0.2
_slots = BoundedSemaphore(8)


def fitting(typed: str, known: Iterable[str], limit: int = 5) -> list[str]:
    """Return the known commands that match what was typed, best first; all if nothing was."""
    scored = [(fuzzy_score(typed, entry), at, entry) for at, entry in enumerate(known)]
    found = sorted((score, at, entry) for score, at, entry in scored if score is not None)
    return [entry for _, _, entry in found][:limit]


def folders(typed: str, limit: int = 5) -> list[str]:
    """Return the folders that begin as typed, with `~` left as it was written.

    Of a disk that does not answer there are none.
    """
    try:
        return deadline_thread.wait(partial(_folders, typed, limit), seconds=_SECONDS, slots=_slots)
    except TimeoutError:
        return []


def _folders(typed: str, limit: int) -> list[str]:
    parent, _, begun = typed.rpartition("/")
    if "/" not in typed:
        return ["~/"] if typed in {"", "~"} else []
    place = Path(parent + "/").expanduser()
    try:
        with os.scandir(place) as entries:
            names = sorted(entry.name for entry in entries if _offered(entry, begun))
    except OSError:
        return []
    return [f"{parent}/{name}/" for name in names[:limit]]


def _offered(entry: os.DirEntry[str], begun: str) -> bool:
    """Return whether to offer a folder: a hidden one only if a dot was typed."""
    if not entry.name.startswith(begun) or (entry.name.startswith(".") and not begun):
        return False
    try:
        return entry.is_dir()
    except OSError:
        return False


class Folders(Suggester):
    """Suggests the first fitting folder behind the cursor."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the folder to complete to, or None."""
        return next(iter(folders(value, 1)), None)


class Recent(Suggester):
    """Suggests the latest command that begins as typed."""

    def __init__(self, known: tuple[str, ...]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._known = known

    async def get_suggestion(self, value: str) -> str | None:
        """Return the command to complete to, or None."""
        return next((entry for entry in self._known if entry.startswith(value)), None)
