"""The characters that there are: the shipped ones, and the user's own, which replace them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from nagomi_tui import deadline_thread, paths
from nagomi_tui.view.character.character import DEFAULT, Character
from nagomi_tui.view.character.file import CharacterProblem, read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SECONDS: Final = 0.5


class Library:
    """Reads a pack when it is first wanted; later folders go before earlier ones."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._read: dict[Path, Character | CharacterProblem] = {}

    def ids(self) -> list[str]:
        """Return the ids of all packs, broken ones included."""
        return sorted({file.parent.name for folder in self._folders for file in _packs(folder)})

    def get(self, id: str) -> Character | None:
        """Return a character, or None if there is no sound pack with that id."""
        for folder in reversed(self._folders):
            file = folder / id / "character.toml"
            if id and os.path.isfile(file):
                found = self._take(file)
                if isinstance(found, Character):
                    return found
        return None

    def one(self, id: str) -> Character | None:
        """Return a character, or the default one if there is no sound pack with that id."""
        return self.get(id) or self.get(DEFAULT)

    def whole(self) -> list[Character]:
        """Return every character that can be shown."""
        return [found for id in self.ids() if (found := self.get(id)) is not None]

    def problems(self) -> list[str]:
        """Read every pack, and return the sentences about those that are broken."""
        return [
            str(found)
            for folder in self._folders
            for file in _packs(folder)
            if isinstance(found := self._take(file), CharacterProblem)
        ]

    def is_own(self, id: str) -> bool:
        """Return whether the pack is the user's own."""
        return os.path.isfile(own_folder() / id / "character.toml")

    def _take(self, file: Path) -> Character | CharacterProblem:
        if file not in self._read:
            try:
                self._read[file] = read(file)
            except CharacterProblem as exc:
                self._read[file] = exc
        return self._read[file]


def own_folder() -> Path:
    """Where a user's own characters are."""
    return paths.config_folder() / "characters"


def library() -> Library:
    """Return all characters of this workplace; a folder that does not answer is left out."""
    shipped, own = paths.shipped("characters"), own_folder()
    try:
        deadline_thread.wait(own.exists, seconds=_SECONDS)
    except TimeoutError:
        return Library([shipped])
    return Library([shipped, own])


def _packs(folder: Path) -> list[Path]:
    return paths.listed(folder, "*/character.toml")
