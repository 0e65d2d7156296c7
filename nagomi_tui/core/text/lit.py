"""What is lit on a row: drawn in reverse, or on another ground than the rest of the row.

So programs mark the button or the line that Enter takes, where they use no sign for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.text.screen import BOLD, DEFAULT, FAINT, INVERSE

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import Row, Run

_WEIGHT: Final = BOLD | FAINT

OPEN: Final = "⟦"
CLOSE: Final = "⟧"
"""Stand around what is lit, in rules and their samples."""


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
