"""Draw a captured pane (`tmux capture-pane -e -p`) as a PNG, cell by cell.

`python docs/pictures.py CAPTURE.ansi PICTURE.png [COLUMNS] [light|dark]`
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont
from rich.ansi import AnsiDecoder
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from wcwidth import wcwidth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

WIDE, HIGH = 10, 21
"""A cell, in pixels."""
MARGIN = 12

_DARK = [
    (58, 60, 70), (214, 112, 104), (146, 172, 104), (220, 172, 98),
    (116, 152, 204), (184, 142, 186), (116, 178, 174), (206, 200, 190),
]  # fmt: skip
_DARK_BRIGHT = [
    (128, 126, 130), (232, 138, 126), (170, 196, 128), (236, 196, 128),
    (146, 178, 224), (206, 168, 208), (146, 204, 198), (236, 232, 224),
]  # fmt: skip
_LIGHT = [
    (36, 34, 30), (184, 72, 64), (104, 138, 60), (166, 112, 28),
    (62, 102, 164), (138, 84, 144), (54, 142, 138), (222, 216, 204),
]  # fmt: skip
_LIGHT_BRIGHT = [
    (150, 142, 130), (200, 88, 80), (108, 138, 66), (182, 126, 40),
    (78, 118, 182), (154, 100, 160), (58, 140, 138), (238, 234, 226),
]  # fmt: skip
THEMES = {
    "dark": TerminalTheme((22, 22, 26), (216, 212, 204), _DARK, _DARK_BRIGHT),
    "light": TerminalTheme((250, 247, 240), (60, 56, 50), _LIGHT, _LIGHT_BRIGHT),
}
LATIN = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
LATIN_BOLD = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf"
LATIN_ELSE = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
WIDE_FONT = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"

_ARMS = {
    "─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "urd", "┤": "uld",
    "┬": "lrd", "┴": "lru", "┼": "lrud", "╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu",
    "━": "LR", "┃": "UD", "┏": "RD", "┓": "LD", "┗": "RU", "┛": "LU", "═": "LR", "║": "UD",
    "╴": "l", "╵": "u", "╶": "r", "╷": "d", "╸": "L", "╹": "U", "╺": "R", "╻": "D",
}  # fmt: skip
_LIKE = {"⎿": "└", "⏵": "▸", "⏺": "●", "⏸": "‖"}
"""Signs that none of the fonts has, and what is drawn for them."""
_EIGHTHS = "▁▂▃▄▅▆▇█"
_LEFTS = "█▉▊▋▌▍▎▏"
_QUADRANTS = {
    "▖": (2,), "▗": (3,), "▘": (0,), "▝": (1,), "▙": (0, 2, 3), "▚": (0, 3),
    "▛": (0, 1, 2), "▜": (0, 1, 3), "▞": (1, 2), "▟": (1, 2, 3),
}  # fmt: skip


class Painter:
    """Draws cells on one image."""

    def __init__(self, cols: int, rows: int, theme: str) -> None:
        self._theme = THEMES[theme]
        ground = tuple(self._theme.background_color)
        self.image = Image.new("RGB", (cols * WIDE + 2 * MARGIN, rows * HIGH + 2 * MARGIN), ground)
        self._draw = ImageDraw.Draw(self.image)
        self._fonts = {
            False: ImageFont.truetype(LATIN, 16),
            True: ImageFont.truetype(LATIN_BOLD, 16),
        }
        self._wide = ImageFont.truetype(WIDE_FONT, 18)
        self._others = [ImageFont.truetype(LATIN_ELSE, 14), ImageFont.truetype(WIDE_FONT, 15)]

    def cell(self, x: int, y: int, text: str, cells: int, style: Style) -> None:
        """Draw one cluster with its top left corner at the cell `x`, `y`."""
        text = _LIKE.get(text, text)
        ink, paper = self._colours(style)
        left, top = MARGIN + x * WIDE, MARGIN + y * HIGH
        right, bottom = left + cells * WIDE, top + HIGH
        self._draw.rectangle((left, top, right - 1, bottom - 1), fill=paper)
        if not self._shape(text, left, top, ink):
            font = self._font(text, cells, bold=bool(style.bold))
            at = (left + cells - 1, top + HIGH - 5)
            self._draw.text(at, text, font=font, fill=ink, anchor="ls")
        if style.underline:
            self._draw.line((left, bottom - 2, right - 1, bottom - 2), fill=ink)

    def _font(self, text: str, cells: int, *, bold: bool) -> ImageFont.FreeTypeFont:
        """Return the first font that has a picture of its own for this."""
        first = self._wide if cells == 2 else self._fonts[bold]
        return next((font for font in (first, *self._others) if _has(font, text)), first)

    def surround(self) -> None:
        """Give the margin the colour that the left edge mostly has."""
        x, low = MARGIN, self.image.height - MARGIN
        edge = Counter(self.image.getpixel((x, y)) for y in range(MARGIN, low))
        framed = Image.new("RGB", self.image.size, edge.most_common(1)[0][0])
        inner = (MARGIN, MARGIN, self.image.width - MARGIN, low)
        framed.paste(self.image.crop(inner), inner)
        self.image = framed

    def _colours(self, style: Style) -> tuple[tuple[int, ...], tuple[int, ...]]:
        ink = tuple(
            style.color.get_truecolor(self._theme, True)
            if style.color
            else self._theme.foreground_color
        )
        paper = tuple(
            style.bgcolor.get_truecolor(self._theme, False)
            if style.bgcolor
            else self._theme.background_color
        )
        if style.reverse:
            ink, paper = paper, ink
        if style.dim:
            ink = tuple((a * 3 + b * 2) // 5 for a, b in zip(ink, paper, strict=True))
        return ink, paper

    def _shape(self, text: str, left: int, top: int, ink: tuple[int, ...]) -> bool:
        """Draw block elements and lines exactly; False where a font must do it."""
        right, bottom = left + WIDE - 1, top + HIGH - 1
        if text in _EIGHTHS:
            edge = bottom + 1 - round(HIGH * (_EIGHTHS.index(text) + 1) / 8)
            self._draw.rectangle((left, edge, right, bottom), fill=ink)
        elif text == "▀":
            edge = bottom - round(HIGH / 2)
            self._draw.rectangle((left, top, right, edge), fill=ink)
        elif text in _LEFTS:
            edge = left + round(WIDE * (8 - _LEFTS.index(text)) / 8) - 1
            self._draw.rectangle((left, top, edge, bottom), fill=ink)
        elif text == "▐":
            self._draw.rectangle((left + WIDE // 2, top, right, bottom), fill=ink)
        elif text in _QUADRANTS:
            self._quadrants(_QUADRANTS[text], left, top, ink)
        elif text in _ARMS:
            self._arms(_ARMS[text], left, top, ink)
        else:
            return not text.strip()
        return True

    def _quadrants(self, which: tuple[int, ...], left: int, top: int, ink: tuple[int, ...]) -> None:
        half, middle = WIDE // 2, HIGH - round(HIGH / 2)
        for number in which:
            x, y = left + half * (number % 2), top + (middle if number > 1 else 0)
            low = top + HIGH - 1 if number > 1 else top + middle - 1
            self._draw.rectangle((x, y, x + half - 1, low), fill=ink)

    def _arms(self, arms: str, left: int, top: int, ink: tuple[int, ...]) -> None:
        x, y = left + WIDE // 2, top + HIGH // 2
        ends = {"l": (left, y), "r": (left + WIDE - 1, y), "u": (x, top), "d": (x, top + HIGH - 1)}
        for arm in arms:
            self._draw.line(((x, y), ends[arm.lower()]), fill=ink, width=2 if arm.isupper() else 1)


@cache
def _has(font: ImageFont.FreeTypeFont, text: str) -> bool:
    return bytes(font.getmask(text[0])) != bytes(font.getmask("\U0010fffd"))


def clusters(line: Text) -> Iterator[tuple[str, int, Style]]:
    """Yield each cluster of a line with its cells and style."""
    from rich.console import Console

    text, width, style = "", 0, Style()
    for segment in line.render(Console(color_system="truecolor")):
        for char in segment.text:
            if wcwidth(char) == 0 and text:
                text += char
                continue
            if text:
                yield text, width, style
            text, width, style = char, max(1, wcwidth(char)), segment.style or Style()
    if text and text != "\n":
        yield text, width, style


def picture(ansi: str, cols: int, theme: str = "dark") -> Image.Image:
    """Return a captured screen as an image."""
    # One decoder for all: tmux says a style once, and it holds for the lines below too.
    lines = list(AnsiDecoder().decode(ansi.removesuffix("\n")))
    painter = Painter(cols, len(lines), theme)
    for y, line in enumerate(lines):
        x = 0
        for text, cells, style in clusters(line):
            painter.cell(x, y, text, cells, style)
            x += cells
    painter.surround()
    return painter.image


def save(image: Image.Image, target: Path) -> None:
    """Write an image with as few colours as it needs to look the same."""
    image.quantize(224, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        target, optimize=True
    )


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    cols = int(sys.argv[3]) if len(sys.argv) > 3 else 120
    save(picture(source.read_text(), cols, sys.argv[4] if len(sys.argv) > 4 else "dark"), target)


if __name__ == "__main__":
    main()
