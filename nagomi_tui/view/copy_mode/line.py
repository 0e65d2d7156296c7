"""The words of copy mode's line: where the cursor is, the matches, and what keys do."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content

from nagomi_tui.core.text.text import cells, cut_left, printable
from nagomi_tui.view.common.translate import tr


class LineState(NamedTuple):
    """What the line of copy mode shows."""

    line: int
    lines: int
    selecting: bool
    on_link: bool
    typed: str | None
    """What is typed after `/` or `?`, with that sign; None when nothing is searched for."""
    matches: str
    searching: bool
    """Whether the result of a search is awaited."""


def line_of(state: LineState, width: int) -> Content:
    """Return the line in at most `width` cells; keys are left out from the end."""
    if state.typed is not None:
        return _search(state, width)
    title = tr("Selecting") if state.selecting else tr("Looking back")
    parts = [f"{state.line}/{state.lines}"]
    if state.matches:
        parts.append(tr("match {count}", count=state.matches))
    where = "  ".join(parts)
    keys = keys_of(state)
    while keys and cells(title) + cells(where) + sum(cells(key) + 3 for key in keys) + 4 > width:
        keys.pop(-2 if len(keys) > 1 else -1)
    return Content.from_markup(
        "[bold]$title[/]  $where   $keys", title=title, where=where, keys=" · ".join(keys)
    )


def keys_of(state: LineState) -> list[str]:
    """Return what keys do now, the most useful first and the way out last."""
    if state.selecting:
        return [tr("y copy"), tr("o other end"), tr("V lines"), tr("Ctrl+v block"),
                tr("Esc select nothing")]  # fmt: skip
    keys = [tr("v select"), tr("/ search")]
    if state.matches:
        keys.insert(0, tr("n N next, previous"))
    if state.on_link:
        keys.insert(0, tr("Enter open the link"))
    return [*keys, tr("y copy the line"), tr("PageUp PageDown scroll"), tr("g G first, last"),
            tr("q back")]  # fmt: skip


def _search(state: LineState, width: int) -> Content:
    typed = state.typed or ""
    count = tr("searching…") if state.searching else state.matches
    if not state.searching and typed[1:] and count.endswith("/0"):
        count = tr("not found")
    keys = tr("Enter go there · Esc back")
    if cells(typed) + cells(count) + cells(keys) + 8 > width:
        keys = ""
    shown = cut_left(printable(typed), max(8, width - cells(count) - cells(keys) - 8))
    return Content.from_markup(
        "[bold]$typed[/][reverse] [/]  $count   $keys", typed=shown, count=count, keys=keys
    )
