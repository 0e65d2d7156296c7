"""The style of a widget's part, also for a widget that Textual has not styled yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

if TYPE_CHECKING:
    from textual.widget import Widget


def part_style(widget: Widget, name: str) -> Style:
    """Return the style of one of the widget's component classes.

    Textual may draw a widget before its style sheet has reached it: it has plain parts then, and
    is drawn once more when it is styled.
    """
    try:
        return widget.get_component_rich_style(name)
    except KeyError:
        return Style()
