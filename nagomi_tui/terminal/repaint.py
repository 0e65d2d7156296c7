"""Turns rows and modes into the bytes that paint them on a fresh terminal of the same size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nagomi_tui.terminal.engine import Engine
from nagomi_tui.text.rows import Cursor, Modes, Row
from nagomi_tui.text.sgr import ansi_row

_ENTER_ALTERNATE: Final = "\x1b[?1049h\x1b[H"


def whole(engine: Engine) -> tuple[list[Row], bytes]:
    """Return an engine's history, and the text that paints the rest on another kind of engine.

    The rest is its screens, cursor, modes and title. What no `Engine` tells is lost: scroll
    region, tab stops, the pen, a half-read sequence.
    """
    own = list(engine.screen())
    if not engine.modes.alt_screen:
        history = engine.lines(engine.first_line, engine.screen_line)
        return history, document(own, None, engine.cursor, engine.modes, engine.title)
    primary = _behind(engine)
    try:
        history = primary.lines(primary.first_line, primary.screen_line)
        shown = list(primary.screen())
        text = document(shown, own, engine.cursor, engine.modes, engine.title, primary.cursor)
        return history, text
    finally:
        primary.close()


def document(
    rows: Sequence[Row],
    alternate: Sequence[Row] | None,
    cursor: Cursor,
    modes: Modes,
    title: str,
    behind: Cursor | None = None,
) -> bytes:
    """Return the text that paints the rows, then the alternate screen if there is one.

    `behind` is where the primary screen's cursor waits while the alternate one is shown.
    """
    pieces = [paint(rows)]
    if alternate is not None:
        if behind is not None:
            pieces.append(_place(behind))
        pieces += [_ENTER_ALTERNATE, paint(alternate)]
    pieces += [_modes(modes), _place(cursor), _look(cursor)]
    if title:
        pieces.append(f"\x1b]2;{title}\x1b\\")
    return "".join(pieces).encode("utf-8", "replace")


def paint(rows: Sequence[Row]) -> str:
    """Return the rows' text; a wrapped one runs over into the next by itself."""
    pieces: list[str] = []
    for at, row in enumerate(rows):
        pieces.append(ansi_row(row))
        if not row.wrapped or at + 1 == len(rows):
            pieces.append("\r\n")
        else:  # what follows makes it wrap, be it a blank
            pieces.append("" if rows[at + 1].runs else " ")
    return "".join(pieces[:-1])


def _behind(engine: Engine) -> Engine:
    """Return a copy of the engine that has left the alternate screen."""
    copy = type(engine).restore(engine.snapshot())
    if (copy.cols, copy.rows) != (engine.cols, engine.rows):
        copy.resize(engine.cols, engine.rows)
    copy.feed(b"\x18\x1b[?1049l")
    return copy


def _place(cursor: Cursor) -> str:
    return f"\x1b[{cursor.y + 1};{cursor.x + 1}H"


def _look(cursor: Cursor) -> str:
    shape = f"\x1b[{cursor.shape} q" if cursor.shape else ""
    return shape + ("" if cursor.visible else "\x1b[?25l")


def _modes(modes: Modes) -> str:
    on = [
        number
        for number, asked in (
            (1, modes.app_cursor),
            (66, modes.app_keypad),
            (2004, modes.bracketed_paste),
            (1004, modes.focus_events),
            (modes.mouse, modes.mouse > 0),
            (1006, modes.mouse_sgr),
            (1016, modes.mouse_pixels),
            (2026, modes.synchronized),
        )
        if asked
    ]
    pieces = [f"\x1b[?{number}h" for number in on]
    if not modes.alternate_scroll:
        pieces.append("\x1b[?1007l")
    if modes.kitty_flags:
        pieces.append(f"\x1b[>{modes.kitty_flags}u")
    if modes.modify_other_keys:
        pieces.append(f"\x1b[>4;{modes.modify_other_keys}m")
    return "".join(pieces)
