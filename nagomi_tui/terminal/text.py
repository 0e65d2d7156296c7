"""Rows → text: plain for people and tools, or with the colours as escape sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.screen import (
    BLINK,
    BOLD,
    DEFAULT,
    FAINT,
    INVERSE,
    INVISIBLE,
    ITALIC,
    OVERLINE,
    PLAIN,
    RGB,
    STRIKE,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.core.screen import Row, Style

_SGR: Final = (
    (BOLD, "1"),
    (FAINT, "2"),
    (ITALIC, "3"),
    (BLINK, "5"),
    (INVERSE, "7"),
    (INVISIBLE, "8"),
    (STRIKE, "9"),
    (OVERLINE, "53"),
)


def plain(rows: Iterable[Row], *, join: bool = False) -> str:
    """Return one line a row, each ended by a newline; `join` puts wrapped rows together."""
    pieces: list[str] = []
    for row in rows:
        if join and row.wrapped:
            pieces.append("".join(run.text for run in row.runs))
        else:
            pieces.append(row.text + "\n")
    text = "".join(pieces)
    return text if not text or text.endswith("\n") else text.rstrip(" ") + "\n"


def ansi(rows: Iterable[Row], *, join: bool = False) -> str:
    """Return one line a row with its colours exactly as the child set them."""
    pieces: list[str] = []
    for row in rows:
        pieces.append(ansi_row(row))
        if not (join and row.wrapped):
            pieces.append("\n")
    return "".join(pieces)


def ansi_row(row: Row) -> str:
    """Return the row's text and styles; the style at its end is the default one."""
    pieces: list[str] = []
    current = PLAIN
    for run in row.runs:
        if run.style != current:
            pieces.append(_change(current, run.style))
            current = run.style
        pieces.append(run.text)
    if current != PLAIN:
        pieces.append(_change(current, PLAIN))
    return "".join(pieces)


def sgr(style: Style) -> str:
    """Return the sequence that sets exactly this style, whatever was set before."""
    codes = ["0", *(code for bit, code in _SGR if style.flags & bit)]
    if style.underline:
        codes.append("4" if style.underline == 1 else f"4:{style.underline}")
    for base, colour in ((38, style.fg), (48, style.bg), (58, style.underline_color)):
        if colour != DEFAULT:
            codes.append(_colour(base, colour))
    return f"\x1b[{';'.join(codes)}m"


def _colour(base: int, colour: int) -> str:
    if colour >= RGB:
        red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
        # Colons only where nothing older exists: many programs read only semicolons.
        if base == 58:
            return f"58:2::{red}:{green}:{blue}"
        return f"{base};2;{red};{green};{blue}"
    if base == 58:
        return f"58:5:{colour}"
    if colour < 8:
        return str(base - 8 + colour)
    return str(base + 52 + colour - 8) if colour < 16 else f"{base};5;{colour}"


def _change(old: Style, new: Style) -> str:
    link = f"\x1b]8;;{new.link}\x1b\\" if new.link != old.link else ""
    return link + ("\x1b[0m" if _unlinked(new) else sgr(new))


def _unlinked(style: Style) -> bool:
    return style == PLAIN or (style.link != "" and sgr(style) == "\x1b[0m")
