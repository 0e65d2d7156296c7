"""Rows → text: plain for people and tools, or with the colours as escape sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.text.plain import link_target
from nagomi_tui.core.text.screen import PLAIN
from nagomi_tui.core.text.sgr import parameters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.core.text.screen import Row, Style


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
    return f"\x1b[{parameters(style)}m"


def _change(old: Style, new: Style) -> str:
    link = f"\x1b]8;;{link_target(new.link)}\x1b\\" if new.link != old.link else ""
    return link + ("\x1b[0m" if _unlinked(new) else sgr(new))


def _unlinked(style: Style) -> bool:
    return style == PLAIN or (style.link != "" and sgr(style) == "\x1b[0m")
