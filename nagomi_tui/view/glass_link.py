"""The links that a child has put on its cells (OSC 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.grid import At
from nagomi_tui.core.urls import Link

if TYPE_CHECKING:
    from nagomi_tui.view.glass_model import GlassModel


def link_shown(model: GlassModel, at: At) -> Link | None:
    """Return the link on a cell that is shown, as far as its row goes."""
    left = model.scroll.left
    y, x = at.line - model.scroll.line, at.column - left
    if not (0 <= y < len(model.plain) and 0 <= x < model.width):
        return None
    cells = model.plain[y].cells
    target = cells[x][1].link
    if not target:
        return None
    first = last = x
    while first > 0 and cells[first - 1][1].link == target:
        first -= 1
    while last + 1 < len(cells) and cells[last + 1][1].link == target:
        last += 1
    return Link(target, At(at.line, left + first), At(at.line, left + last))
