"""Character packs: who sits beside the prompt, read from `characters/<id>/character.toml`."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from nagomi_tui.core.session import Phase
from nagomi_tui.view.say import say

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DEFAULT: Final = "mochi"
Pixel = int
"""`0xRRGGBB`, or -1 for nothing."""

_Hex = Annotated[str, msgspec.Meta(pattern="^#[0-9a-fA-F]{6}$")]


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    rows: list[str]


class _FaceFile(msgspec.Struct, forbid_unknown_fields=True):
    line: str
    rows: dict[str, str] = {}


class _CharacterFile(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    name: dict[str, str]
    palette: dict[str, _Hex]
    body: _Body
    faces: dict[Phase, _FaceFile]


class Picture(msgspec.Struct, frozen=True):
    """One face: rows of pixels, and its form on one line."""

    pixels: tuple[tuple[Pixel, ...], ...]
    line: str


class Character(msgspec.Struct, frozen=True):
    """A pack, ready to be drawn."""

    id: str
    name: dict[str, str]
    pictures: dict[Phase, Picture]

    @property
    def width(self) -> int:
        """Cells a picture is wide."""
        return len(self.pictures[Phase.IDLE].pixels[0])

    @property
    def height(self) -> int:
        """Rows of cells a picture is high."""
        return (len(self.pictures[Phase.IDLE].pixels) + 1) // 2


class CharacterProblem(ValueError):
    """A pack cannot be shown; the message is a sentence for the user."""


def read(file: Path) -> Character:
    """Read one pack.

    Raises:
        CharacterProblem: the file is missing, does not fit, or lacks a face.
    """
    try:
        found = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), _CharacterFile)
        return _draw(found)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValueError) as exc:
        raise CharacterProblem(
            say("The character in {folder} was left out: {reason}", folder=file.parent, reason=exc)
        ) from exc


def read_all(folders: Iterable[Path]) -> tuple[dict[str, Character], list[str]]:
    """Read every pack of these folders; later folders replace, broken packs are named."""
    packs: dict[str, Character] = {}
    problems: list[str] = []
    for folder in folders:
        for file in sorted(folder.glob("*/character.toml")):
            try:
                pack = read(file)
            except CharacterProblem as exc:
                problems.append(str(exc))
                continue
            packs[pack.id] = pack
    return packs, problems


def _draw(found: _CharacterFile) -> Character:
    width = {len(row) for row in found.body.rows}
    if len(width) != 1 or not found.body.rows:
        raise ValueError("all rows of its body must have one width")
    if missing := [phase.value for phase in Phase if phase not in found.faces]:
        raise ValueError(f"it has no face for {', '.join(missing)}")
    colors = {key: int(value[1:], 16) for key, value in found.palette.items()} | {".": -1}
    pictures = {
        phase: Picture(_pixels(found.body.rows, face.rows, colors), face.line)
        for phase, face in found.faces.items()
    }
    return Character(found.id, found.name, pictures)


def _pixels(
    body: list[str], over: dict[str, str], colors: dict[str, Pixel]
) -> tuple[tuple[Pixel, ...], ...]:
    """Lay a face's rows over the body and look up the colours."""
    drawn = [list(row) for row in body]
    for at, row in over.items():
        for x, char in enumerate(row[: len(drawn[0])]):
            if char != ".":
                drawn[int(at)][x] = char
    if unknown := {char for row in drawn for char in row} - colors.keys():
        raise ValueError(f"its palette lacks {', '.join(sorted(unknown))}")
    return tuple(tuple(colors[char] for char in row) for row in drawn)
