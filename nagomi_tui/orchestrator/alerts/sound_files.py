"""Chooses sound files: the user's own, the character's, or the shipped one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nagomi_tui import paths

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDINGS = (".wav", ".ogg", ".flac", ".mp3")


def sound_files(kind: str, *, own: str = "", character: str = "") -> list[str]:
    """Return the candidates for a kind of call, best first; only the last is sure to exist."""
    wanted = [folder / f"{kind}{end}" for folder in _folders(own, character) for end in _ENDINGS]
    return [str(path) for path in (*wanted, paths.shipped("config") / "sounds" / f"{kind}.wav")]


def _folders(own: str, character: str) -> Iterator[Path]:
    if own:
        yield Path(own).expanduser()
    if character and "/" not in character and character != "..":
        yield paths.config_folder() / "characters" / character / "sounds"
        yield paths.shipped("characters") / character / "sounds"
