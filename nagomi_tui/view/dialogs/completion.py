"""What the dialog for a new session completes and offers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from threading import BoundedSemaphore
from typing import Final, TypeAlias

from textual.suggester import Suggester

from nagomi_tui.api.messages import HandStanding
from nagomi_tui.api.printing import standing_words
from nagomi_tui.sessions.places import Beginning, HandFolders, beginning_of
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.system import deadlines
from nagomi_tui.system.completion import beginning
from nagomi_tui.text import words
from nagomi_tui.text.cells import fuzzy_score
from nagomi_tui.view.common.translate import language

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
        first.setdefault(" ".join(_ID.sub("…", entry).split()), entry)
    return list(first.values())[:limit]


def offered(recent: Iterable[str], installed: Iterable[str]) -> tuple[str, ...]:
    """Return recent commands, the newest first, and programs that were not among them."""
    kept = tuple(recent)
    begun = {command.split()[0] for command in kept if command.split()}
    return (*kept, *(name for name in installed if name not in begun))


def installed(names: Iterable[str], path: str) -> tuple[str, ...]:
    """Return those of the programs that are on the PATH; of a disk that does not answer none."""

    def find() -> tuple[str, ...]:
        return tuple(name for name in names if shutil.which(name, path=path))

    try:
        return deadlines.wait(find, seconds=_SECONDS, slots=_slots)
    except TimeoutError:
        return ()


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
        return next(iter(folders(value, 1)), None)


FindFar: TypeAlias = Callable[[str, str, Callable[[Sequence[str]], None]], None]
"""Asks for the folders on a hand that begin so, and hands them on when they are there."""


class OfferedHands:
    """The hands as they stood when the dialog was opened."""

    def __init__(self, find_folders: FindFar) -> None:
        self._hands: tuple[HandStanding, ...] = ()
        self._find = find_folders
        self._wanted: tuple[str, str, Callable[[Sequence[str]], None]] | None = None
        """What is asked for next, while an answer is still to come."""
        self._asked = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(hand.name for hand in self._hands)

    def take(self, hands: tuple[HandStanding, ...]) -> None:
        self._hands = hands

    def beginning_of(self, folder: str) -> Beginning | None:
        """Return where sessions of a folder begin, if that is on a hand."""
        hands = [HandFolders(one.name, one.kind, one.folders) for one in self._hands]
        return beginning_of(folder, hands)

    def fitting(self, typed: str) -> list[str]:
        """Return a line for each hand that begins as typed, and all where the name of one is whole."""
        spoken = words.of(language())
        whole = typed in {"", LOCAL, *self.names}
        lines = [
            standing_words(hand, spoken)
            for hand in self._hands
            if whole or hand.name.startswith(typed)
        ]
        return [LOCAL, *lines] if lines and whole else lines

    def find(self, hand: str, typed: str, then: Callable[[Sequence[str]], None]) -> None:
        """Ask for folders there; while one answer is awaited only the newest question is kept."""
        if hand not in self.names or not typed.startswith(("/", "~/")):
            return
        self._wanted = (hand, typed, then)
        self._ask()

    def _ask(self) -> None:
        if self._asked or self._wanted is None:
            return
        hand, typed, then = self._wanted
        self._wanted, self._asked = None, True

        def answered(found: Sequence[str]) -> None:
            self._asked = False
            then(found)
            self._ask()

        self._find(hand, typed, answered)
