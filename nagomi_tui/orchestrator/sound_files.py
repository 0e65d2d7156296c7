"""Which file sounds: the user's own, the character's, or the one that is shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui import paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ENDINGS = (".wav", ".ogg", ".flac", ".mp3")


def sound_file(kind: str, *, own: str = "", character: str = "") -> Path:
    """Return the file for a kind of call; a character without the sound has the shipped one."""
    for folder in _folders(own, character):
        for ending in _ENDINGS:
            if (path := folder / f"{kind}{ending}").is_file():
                return path
    return paths.shipped("config") / "sounds" / f"{kind}.wav"


def _folders(own: str, character: str) -> Iterator[Path]:
    from pathlib import Path

    if own:
        yield Path(own).expanduser()
    if character and "/" not in character and character != "..":
        yield paths.config_folder() / "characters" / character / "sounds"
        yield paths.shipped("characters") / character / "sounds"
