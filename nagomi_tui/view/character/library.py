"""Finds the character packs that there are, and reads their files."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

import msgspec

from nagomi_tui.sessions.session import PHASES, Condition
from nagomi_tui.system import deadlines, files, paths
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.cells import cells
from nagomi_tui.view.character import character
from nagomi_tui.view.common.translate import tr

LINE_CELLS: Final = 16
"""Columns of the longest face on one line."""
_FACES: Final = (*(phase.value for phase in PHASES), character.SPEAKING, character.BLINK)
_ALIKE: Final = "listening"
"""The face whose line is used for speaking and blinking where the file has none for these."""

_Hex = Annotated[str, msgspec.Meta(pattern="^#[0-9a-fA-F]{6}$")]
_Key = Annotated[str, msgspec.Meta(pattern="^[^.]$")]


class _PartFile(msgspec.Struct, forbid_unknown_fields=True):
    at: tuple[int, int]
    rows: list[str]


class _DrawingFile(msgspec.Struct, forbid_unknown_fields=True):
    body: list[str]
    parts: dict[str, _PartFile] = {}


class _FaceFile(msgspec.Struct, forbid_unknown_fields=True):
    parts: list[str]
    line: str = ""


class _CharacterFile(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    name: dict[str, str]
    palette: dict[_Key, _Hex]
    faces: dict[str, _FaceFile]
    large: _DrawingFile
    small: _DrawingFile | None = None
    lines: dict[Condition, dict[str, list[str]]] = {}
    sounds: dict[str, str] = {}
    voice: dict[str, str] = {}
    """Packs may have both; sounds are found by the names of their files, and no voice is chosen so."""


class CharacterProblem(ValueError):
    """A pack cannot be shown; the message names the file, the key, and what to do."""


class _Misfit(ValueError):
    """A key of the file does not fit; the message says what to do."""

    def __init__(self, key: str, advice: str) -> None:
        super().__init__(advice)
        self.key = key


def read(file: Path) -> character.Character:
    """Read one pack.

    Raises:
        CharacterProblem: the file is missing or broken, or something of it does not fit.
    """
    try:
        return _character(_decoded(file), file.parent.name)
    except _Misfit as exc:
        raise CharacterProblem(
            tr(
                "{file}: `{key}`: {advice} This character is left out.",
                file=file, key=exc.key, advice=exc,
            )
        ) from exc  # fmt: skip
    except (OSError, UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as exc:
        raise CharacterProblem(
            tr("{file} cannot be read: {reason} This character is left out.", file=file, reason=exc)
        ) from exc


def _decoded(file: Path) -> _CharacterFile:
    try:
        return from_builtins(tomllib.loads(files.read_text(file)), _CharacterFile)
    except msgspec.ValidationError as exc:
        reason, _, place = str(exc).partition(" - at `")
        key = place.rstrip("`").removeprefix("$").lstrip(".") or "character.toml"
        advice = tr("{reason}; compare it with a character that is shipped.", reason=reason)
        raise _Misfit(key, advice) from exc


def _character(found: _CharacterFile, folder: str) -> character.Character:
    if found.id != folder:
        raise _Misfit("id", tr("write `{folder}`, the name of its folder.", folder=folder))
    for face in _FACES:
        if face not in found.faces:
            raise _Misfit(f"faces.{face}", tr("add this face."))
    if odd := found.lines.keys() - set(PHASES):
        reason = f"Invalid enum value '{min(odd)}'"
        advice = tr("{reason}; compare it with a character that is shipped.", reason=reason)
        raise _Misfit(f"lines.{min(odd)}", advice)
    drawings = {character.Size.LARGE: _drawing("large", found.large, found)}
    if found.small is not None:
        drawings[character.Size.SMALL] = _drawing("small", found.small, found)
    _check_parts(found)
    return character.Character(
        id=found.id,
        name=found.name,
        pictures=character.Pictures(
            {key: int(value[1:], 16) for key, value in found.palette.items()},
            drawings,
            {name: tuple(face.parts) for name, face in found.faces.items()},
        ),
        lines={name: _line(name, found) for name in _FACES},
        says={
            phase: {language: tuple(lines) for language, lines in said.items() if lines}
            for phase, said in found.lines.items()
        },
    )


def _check_parts(found: _CharacterFile) -> None:
    """A part may be left out of the small size, but none may be drawn nowhere."""
    drawn = found.large.parts.keys() | (found.small.parts.keys() if found.small else set())
    for face, wanted in found.faces.items():
        for name in wanted.parts:
            if name not in drawn:
                advice = tr("draw `{part}` in `large.parts`, or leave it out.", part=name)
                raise _Misfit(f"faces.{face}.parts", advice)


def _line(name: str, found: _CharacterFile) -> str:
    line = found.faces[name].line
    if not line and name in (character.SPEAKING, character.BLINK):
        line = found.faces[_ALIKE].line
    if not 0 < cells(line) <= LINE_CELLS:
        advice = tr("write the face in 1 to {count} cells.", count=LINE_CELLS)
        raise _Misfit(f"faces.{name}.line", advice)
    return line


def _drawing(key: str, drawing: _DrawingFile, found: _CharacterFile) -> character.Drawing:
    width, height = character.CELLS[character.Size(key)]
    body = drawing.body
    if not body or not 0 < len(body[0]) <= width or len(body) > 2 * height:
        advice = tr("draw at most {width} by {height} pixels.", width=width, height=2 * height)
        raise _Misfit(f"{key}.body", advice)
    _check_rows(f"{key}.body", body, found)
    parts = {}
    for name, part in drawing.parts.items():
        _check_rows(f"{key}.parts.{name}", part.rows, found)
        x, y = part.at
        if x < 0 or y < 0 or x + len(part.rows[0]) > len(body[0]) or y + len(part.rows) > len(body):
            raise _Misfit(f"{key}.parts.{name}", tr("keep it inside the body."))
        parts[name] = character.Part(x, y, tuple(part.rows))
    return character.Drawing(tuple(body), parts)


def _check_rows(key: str, rows: list[str], found: _CharacterFile) -> None:
    widths = [len(row) for row in rows]
    for number, width in enumerate(widths, 1):
        if width != widths[0]:
            advice = tr(
                "row {number} has {count} pixels and the first has {first}; make them alike.",
                number=number, count=width, first=widths[0],
            )  # fmt: skip
            raise _Misfit(key, advice)
    if not rows or not rows[0]:
        raise _Misfit(key, tr("draw at least one pixel."))
    if unknown := {pixel for row in rows for pixel in row} - found.palette.keys() - {"."}:
        advice = tr("give `{pixel}` a colour in `palette`.", pixel=min(unknown))
        raise _Misfit(key, advice)


_SECONDS: Final = 0.5


class Library:
    """Reads a pack when it is first wanted; later folders go before earlier ones."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._read: dict[Path, character.Character | CharacterProblem] = {}

    def ids(self) -> list[str]:
        return sorted({file.parent.name for folder in self._folders for file in _packs(folder)})

    def get(self, id: str) -> character.Character | None:
        """Return a character, or None if there is no sound pack with that id."""
        for folder in reversed(self._folders):
            file = folder / id / "character.toml"
            if id and os.path.isfile(file):
                found = self._take(file)
                if isinstance(found, character.Character):
                    return found
        return None

    def one(self, id: str) -> character.Character | None:
        """Return a character, or the default one if there is no sound pack with that id."""
        return self.get(id) or self.get(character.DEFAULT)

    def whole(self) -> list[character.Character]:
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

    def _take(self, file: Path) -> character.Character | CharacterProblem:
        if file not in self._read:
            try:
                self._read[file] = read(file)
            except CharacterProblem as exc:
                self._read[file] = exc
        return self._read[file]


def own_folder() -> Path:
    return paths.config_folder() / "characters"


def library() -> Library:
    """Return all characters of this workplace; a folder that does not answer is left out."""
    shipped, own = paths.shipped("characters"), own_folder()
    try:
        deadlines.wait(own.exists, seconds=_SECONDS)
    except TimeoutError:
        return Library([shipped])
    return Library([shipped, own])


def _packs(folder: Path) -> list[Path]:
    return paths.listed(folder, "*/character.toml")
