"""What an agent completes behind `/`, from its shipped file and the user's."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.system import files
from nagomi_tui.system.completion import beginning
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.system.paths import config_folder, shipped


class Slash(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands of an agent, and where the user's own ones are: below the project, or at `~/`."""

    commands: str = ""
    """Names without the slash, with blanks between; what an agent does not know it says itself."""
    files: tuple[str, ...] = ()
    """Folders with a Markdown or TOML file for each command."""
    skills: tuple[str, ...] = ()
    """Folders with a folder for each skill."""
    skill_prefix: str = ""
    """What stands before the name of a skill, such as `skill:`."""

    def beside(self, other: Slash) -> Slash:
        """Return these and those of the other."""
        return Slash(
            commands=f"{self.commands} {other.commands}",
            files=(*self.files, *other.files),
            skills=(*self.skills, *other.skills),
            skill_prefix=self.skill_prefix or other.skill_prefix,
        )


_MOST: Final = 50
_ENDINGS: Final = (".md", ".toml")


class _File(msgspec.Struct, frozen=True):
    """What counts here of an agent's file."""

    slash: Slash = Slash()
    adds: bool = False


def slash_of(agent: str) -> Slash:
    """Return what an agent completes; the user's file stands in the place of the shipped one, or beside it.

    A file that cannot be read counts as none: `nagomi doctor` says what is wrong with it.
    """
    own = _read(config_folder(), agent)
    if own is not None and not own.adds:
        return own.slash
    shared = _read(shipped("config"), agent) or _File()
    return own.slash.beside(shared.slash) if own is not None else shared.slash


def own_commands(slash: Slash, project: str) -> Iterator[str]:
    """Give the names of the user's own commands and skills, without the slash."""
    for folder in slash.files:
        for path in map(Path, _inside(folder, project)):
            if path.suffix in _ENDINGS:
                yield path.stem
    for folder in slash.skills:
        for found in _inside(folder, project):
            if found.endswith("/"):
                yield slash.skill_prefix + Path(found).name


def _inside(folder: str, project: str) -> list[str]:
    return beginning(f"{folder}/", base=project, files=True, limit=_MOST)


def _read(folder: Path, agent: str) -> _File | None:
    try:
        found = tomllib.loads(files.read_text(folder / "agents" / f"{agent}.toml"))
        return from_builtins(found, _File)
    except (OSError, UnicodeDecodeError, RecursionError, ValueError):
        return None
