"""Completion in dialogs: commands that were started before, and folders."""

from __future__ import annotations

import re
import shutil
from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from textual.suggester import Suggester

from nagomi_tui import deadline_thread
from nagomi_tui.core.text.text import fuzzy_score
from nagomi_tui.view.common.paths import beginning

if TYPE_CHECKING:
    from collections.abc import Iterable

_SECONDS: Final = 0.2
_ID: Final = re.compile(r"\b(?=[\w-]*\d)[0-9A-Fa-f][0-9A-Fa-f-]{6,}\b")
"""A number, hash or UUID of at least seven digits."""
_slots = BoundedSemaphore(8)


def fitting(typed: str, known: Iterable[str], limit: int = 5) -> list[str]:
    """Return the known commands that match what was typed, best first; all if nothing was.

    Of those that differ in an id alone, such as a conversation's, there is only the first.
    """
    scored = [(fuzzy_score(typed, entry), at, entry) for at, entry in enumerate(known)]
    found = sorted((score, at, entry) for score, at, entry in scored if score is not None)
    first: dict[str, str] = {}
    for _, _, entry in found:
        first.setdefault(_without_ids(entry), entry)
    return list(first.values())[:limit]


def offered(recent: Iterable[str], installed: Iterable[str]) -> tuple[str, ...]:
    """Return recent commands, the newest first, and programs that were not among them."""
    kept = tuple(recent)
    begun = {command.split()[0] for command in kept if command.split()}
    return (*kept, *(name for name in installed if name not in begun))


def _without_ids(command: str) -> str:
    """Return a command with its ids blanked and its words one blank apart."""
    return " ".join(_ID.sub("…", command).split())


def installed(names: Iterable[str], path: str) -> tuple[str, ...]:
    """Return those of the programs that are on the PATH; of a disk that does not answer none."""
    work = partial(_found, tuple(names), path)
    try:
        return deadline_thread.wait(work, seconds=_SECONDS, slots=_slots)
    except TimeoutError:
        return ()


def _found(names: tuple[str, ...], path: str) -> tuple[str, ...]:
    return tuple(name for name in names if shutil.which(name, path=path))


def folders(typed: str, limit: int = 5) -> list[str]:
    """Return the folders that begin as typed, with `~` left as it was written.

    Of a disk that does not answer there are none.
    """
    if "/" not in typed:
        return ["~/"] if typed in {"", "~"} else []
    return beginning(typed, files=False, limit=limit)


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
