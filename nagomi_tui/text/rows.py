"""What a terminal shows, as values: styles, runs, rows, cursor, modes.

Programs light up the button or the line that Enter takes where they use no sign for it; such
stretches of a row are found here, too.
"""

from __future__ import annotations

from typing import Final

import msgspec

DEFAULT: Final = -1
"""The terminal's own colour. 0 to 255 is a palette index, `RGB | 0xRRGGBB` a true colour."""

RGB: Final = 0x1000000

BOLD: Final = 1
FAINT: Final = 2
ITALIC: Final = 4
BLINK: Final = 8
INVERSE: Final = 16
INVISIBLE: Final = 32
STRIKE: Final = 64
OVERLINE: Final = 128


class Style(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How a run of cells looks. Colours stay as the child set them: default, palette or RGB."""

    fg: int = DEFAULT
    bg: int = DEFAULT
    flags: int = 0
    underline: int = 0
    """0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed."""
    underline_color: int = DEFAULT
    link: str = ""
    """The target of an OSC 8 link, or nothing."""


PLAIN: Final = Style()


class Run(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Neighbouring cells of one style.

    `unit` is 1 where each code point of `text` takes one cell and 2 where each takes two;
    -1 and -2 say that the whole text is one grapheme cluster of one or two cells.
    """

    text: str
    style: Style
    unit: int = 1

    @property
    def cells(self) -> int:
        """The run's width in cells."""
        return len(self.text) * self.unit if self.unit > 0 else -self.unit


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line of the screen from its first cell; cells after the last run are blank.

    `wrapped` says that the line goes on in the next row.
    """

    runs: tuple[Run, ...] = ()
    wrapped: bool = False

    @property
    def text(self) -> str:
        """The row's characters, without the blanks at its end."""
        return "".join(run.text for run in self.runs).rstrip(" ")

    @property
    def cells(self) -> int:
        """How many cells the runs fill."""
        return sum(run.cells for run in self.runs)


BLANK: Final = Row()
CUT: Final = "›"
"""Stands in the last cell of a line that goes on beyond a view."""


def crop(row: Row, left: int, width: int) -> Row:
    """Return the cells `left` to `left + width`; half a wide character becomes a space."""
    if left == 0 and row.cells <= width:
        return row
    kept: list[Run] = []
    at = 0
    for run in row.runs:
        start, at = at, at + run.cells
        if at <= left:
            continue
        if start >= left + width:
            break
        kept.extend(_cut(run, max(0, left - start), min(run.cells, left + width - start)))
    return Row(tuple(kept), row.wrapped)


def _cut(run: Run, first: int, last: int) -> list[Run]:
    if first == 0 and last == run.cells:
        return [run]
    if run.unit == 1:
        return [Run(run.text[first:last], run.style)]
    if run.unit != 2:
        return [Run(" " * (last - first), run.style)]
    whole = Run(run.text[(first + 1) // 2 : last // 2], run.style, 2)
    half = Run(" ", run.style)
    return [half] * (first % 2) + ([whole] if whole.text else []) + [half] * (last % 2)


CELL_PIXELS: Final = (8, 16)
"""Width and height of a cell in pixels, as reported to children that ask for pixels."""


class Cursor(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where the cursor stands, in cells from the top left of the screen."""

    x: int = 0
    y: int = 0
    visible: bool = True
    shape: int = 0
    """As in DECSCUSR: 0 default, 1 and 2 block, 3 and 4 underline, 5 and 6 bar; odd ones blink."""


class Modes(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the child has asked of its terminal, as far as input and drawing need it."""

    alt_screen: bool = False
    app_cursor: bool = False
    app_keypad: bool = False
    bracketed_paste: bool = False
    focus_events: bool = False
    mouse: int = 0
    """0 none, 9 X10, 1000 clicks, 1002 drags, 1003 every motion."""
    mouse_sgr: bool = False
    alternate_scroll: bool = True
    kitty_flags: int = 0
    """Flags of the kitty keyboard protocol on top of the child's stack."""
    modify_other_keys: int = 0
    synchronized: bool = False
    """The child is in the middle of a frame (mode 2026)."""
    mouse_pixels: bool = False
    """SGR reports count pixels instead of cells (mode 1016)."""


class ScreenEvent(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something that the child's output reports beside what it draws.

    `kind` is one of: `bell`, `title` (text), `notify` (text is the body, title beside it),
    `progress` (text `"state;percent"` of OSC 9;4), `cwd` (a path), `clipboard` (text to copy),
    `command` (the body of OSC 133, such as `"D;1"`), `status` (the body of OSC 7501).
    """

    kind: str
    text: str = ""
    title: str = ""


_WEIGHT: Final = BOLD | FAINT

OPEN: Final = "⟦"
CLOSE: Final = "⟧"
"""Stand around what is lit, in rules and their samples."""
RED: Final = "‼"
"""Begins what is written in red in a sample of a rule."""


def marked(row: Row, width: int) -> str:
    """Return a row of a screen of so many cells with signs around what is lit; nothing where nothing is."""
    grounds: dict[tuple[int, int], int] = {}
    for run in row.runs:
        if (ground := _ground(run)) is not None:
            grounds[ground] = grounds.get(ground, 0) + run.cells
    if not grounds or (len(grounds) == 1 and is_bar(row, width)):
        return ""
    # A panel has a ground of its own, from which the lit part differs.
    panel = max(grounds, key=lambda one: grounds[one]) if len(grounds) > 1 else None
    return _drawn(row, panel)


def tint(row: Row) -> int:
    """Return a number for the colours and the weight of a row's letters; 0 where all are plain."""
    if all(run.style.fg == DEFAULT and not run.style.flags & _WEIGHT for run in row.runs):
        return 0
    return hash(tuple((run.cells, run.style.fg, run.style.flags & _WEIGHT) for run in row.runs))


_REDS: Final = frozenset({1, 9, 88, 124, 125, 131, 160, 161, 167, 168, 196, 197, 203, 204, 210})
"""Palette entries in which programs write errors."""


def is_red(row: Row) -> bool:
    """Tell whether the row's first word is written in red."""
    first = next((run for run in row.runs if any(one.isalpha() for one in run.text)), None)
    if first is None or first.style.fg == DEFAULT:
        return False
    if not first.style.fg & RGB:
        return first.style.fg in _REDS
    red, green, blue = (first.style.fg >> bits & 0xFF for bits in (16, 8, 0))
    return red >= 0x90 and red - max(green, blue) >= 0x38


def _drawn(row: Row, panel: tuple[int, int] | None) -> str:
    parts: list[str] = []
    inside = False
    for run in row.runs:
        lit = _ground(run) not in (None, panel) and bool(run.text.strip() or inside)
        if lit is not inside:
            parts.append(OPEN if lit else CLOSE)
            inside = lit
        parts.append(run.text)
    text = "".join(parts) + (CLOSE if inside else "")
    return text.rstrip(" ") if OPEN in text else ""


def is_bar(row: Row, width: int) -> bool:
    """Tell whether the row is lit from end to end, as status lines are."""
    return row.cells >= width - 1 and all(_ground(run) for run in row.runs)


def _ground(run: Run) -> tuple[int, int] | None:
    """Return what a run is drawn on; None where that is the terminal's own ground."""
    look = run.style.bg, run.style.flags & INVERSE
    return None if look == (DEFAULT, 0) else look
