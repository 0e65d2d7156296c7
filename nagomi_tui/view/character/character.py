"""One character of a pack: its faces as pixels, and its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, Literal

import msgspec
from rich.color import Color, ColorSystem

from nagomi_tui.sessions.session import Condition

DEFAULT: Final = "mochi"
SPEAKING: Final = "speaking"
BLINK: Final = "blink"

Pixel = int
"""`0xRRGGBB`, or -1 for nothing."""
Pixels = tuple[tuple[Pixel, ...], ...]


class Size(StrEnum):
    """The sizes that a picture is drawn in."""

    LARGE = "large"
    """At most 24 by 12 cells."""
    SMALL = "small"
    """At most 16 by 8 cells."""


CELLS: Final = {Size.LARGE: (24, 12), Size.SMALL: (16, 8)}
"""Columns and rows of cells that a picture of each size has at most."""


class Part(msgspec.Struct, frozen=True):
    """A piece of a picture, such as a mouth, and where it lies on the body."""

    x: int
    y: int
    rows: tuple[str, ...]


class Drawing(msgspec.Struct, frozen=True):
    """One size: rows of palette keys, `.` for nothing, and the parts to be laid over them."""

    body: tuple[str, ...]
    parts: dict[str, Part]

    @property
    def width(self) -> int:
        return len(self.body[0])

    @property
    def height(self) -> int:
        return (len(self.body) + 1) // 2


class Pictures:
    """The drawings of a character; a picture is put together when it is first wanted."""

    def __init__(
        self,
        palette: dict[str, Pixel],
        drawings: dict[Size, Drawing],
        faces: dict[str, tuple[str, ...]],
    ) -> None:
        """`faces` names the parts of each face: of each phase, of speaking, and of a blink."""
        self.drawings = drawings
        self._palette = palette | {".": -1}
        self._faces = faces
        self._drawn: dict[tuple[Size, tuple[str, ...]], Pixels] = {}

    def draw(
        self, size: Size, phase: Condition, *, mouth_open: bool = False, eyes_shut: bool = False
    ) -> Pixels:
        """Return the picture of a face."""
        parts = self._faces[phase]
        parts += self._faces[SPEAKING] if mouth_open else ()
        parts += self._faces[BLINK] if eyes_shut else ()
        drawn = self._drawn.get((size, parts))
        if drawn is None:
            drawn = self._drawn[size, parts] = self._assembled(self.drawings[size], parts)
        return drawn

    def _assembled(self, drawing: Drawing, parts: tuple[str, ...]) -> Pixels:
        rows = [list(row) for row in drawing.body]
        drawn = [drawing.parts[name] for name in standing(parts) if name in drawing.parts]
        for part in drawn:
            for y, row in enumerate(part.rows, part.y):
                for x, key in enumerate(row, part.x):
                    if key != ".":
                        rows[y][x] = key
        return tuple(tuple(self._palette[key] for key in row) for row in rows)


@dataclass(eq=False)
class Character:
    """A pack: what it is called, how it looks, and what it says."""

    _: KW_ONLY
    id: str
    name: dict[str, str]
    pictures: Pictures
    lines: dict[str, str]
    says: dict[Condition, dict[str, tuple[str, ...]]]

    def title(self, language: str) -> str:
        """Return its name in a language, such as `en`; its id where it has none."""
        return self.name.get(language) or self.name.get("en") or self.id

    def line(self, face: str) -> str:
        return self.lines[face]

    def words(self, phase: Condition, language: str, number: int) -> str:
        """Return what it says, or nothing; another number may choose other words."""
        said = self.says.get(phase, {})
        choices = said.get(language) or said.get("en") or ("",)
        return choices[number % len(choices)]


def standing(parts: tuple[str, ...]) -> list[str]:
    """Return the parts that are seen: of those whose names begin alike, the last one."""
    last = {name.partition("-")[0]: name for name in parts}
    return [name for name in dict.fromkeys(parts) if last[name.partition("-")[0]] == name]


Colors = Literal["truecolor", "256"]


def cells_of(pixels: Pixels, row: int) -> Iterator[tuple[str, Pixel, Pixel]]:
    """Yield for each cell of a row its character, colour and background (-1 for none)."""
    upper = pixels[2 * row]
    lower = pixels[2 * row + 1] if 2 * row + 1 < len(pixels) else (-1,) * len(upper)
    for top, low in zip(upper, lower, strict=True):
        if top < 0 and low < 0:
            yield " ", -1, -1
        elif top < 0:
            yield "▄", low, -1
        else:
            yield "▀", top, low


def color(pixel: Pixel) -> Color:
    return Color.from_rgb(pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)


def ansi(pixels: Pixels, colors: Colors = "truecolor") -> list[str]:
    """Return rows as text with SGR sequences, written only where a colour changes."""
    return ["".join(_row(pixels, row, colors)) for row in range((len(pixels) + 1) // 2)]


def _row(pixels: Pixels, row: int, colors: Colors) -> Iterator[str]:
    before: tuple[Pixel, Pixel] = (-1, -1)
    for sign, ink, paper in cells_of(pixels, row):
        ink = before[0] if sign == " " and paper == before[1] else ink
        if (ink, paper) != before:
            yield f"\x1b[0{_code(ink, colors, 38)}{_code(paper, colors, 48)}m"
            before = (ink, paper)
        yield sign
    if before != (-1, -1):
        yield "\x1b[0m"


@lru_cache(maxsize=512)
def _code(pixel: Pixel, colors: Colors, kind: int) -> str:
    if pixel < 0:
        return ""
    if colors == "256":
        return f";{kind};5;{color(pixel).downgrade(ColorSystem.EIGHT_BIT).number}"
    return f";{kind};2;{pixel >> 16 & 255};{pixel >> 8 & 255};{pixel & 255}"
