"""Widgets of the judge's pane: its lines, and the container that it shares with the view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.containers import Container
from textual.message import Message
from textual.widgets import Static

if TYPE_CHECKING:
    from textual import events

    from nagomi_tui.view.judge.rows import Line

WIDE_FROM: Final = 110
"""Columns from which the pane stands beside the view; below, it lies over it."""


class ViewAndPane(Container):
    """A container of the view, with the pane beside it, or over its lower part.

    Lying over the view, the pane leaves every session its size: a program that gets a few rows
    for a moment draws itself anew, and its question is gone. With the class `-over-list` it lies
    over the list above a session instead.
    """

    DEFAULT_CSS = """
    ViewAndPane { width: 1fr; height: 1fr; layout: horizontal; layers: base over; }
    ViewAndPane.-over JudgePane {
        layer: over; dock: bottom; width: 100%; height: auto; max-height: 75%;
    }
    ViewAndPane.-over.-over-list JudgePane { dock: top; }
    """

    def on_resize(self, event: events.Resize) -> None:
        """Put the pane where there is room for it."""
        self.set_class(event.size.width < WIDE_FROM, "-over")


class PaneLine(Static):
    """One line of the pane; a click on it does the same as its key."""

    DEFAULT_CSS = """
    PaneLine {
        height: auto; padding: 0 1;
        link-style: bold; link-color: $accent; link-color-hover: $primary; link-style-hover: bold;
        link-background: $panel; link-background-hover: $surface;
    }
    PaneLine.-does:hover { background: $panel; }
    PaneLine.-marked { background: $panel; }
    """

    class Pressed(Message):
        """The line was clicked."""

        def __init__(self, act: str) -> None:
            super().__init__()
            self.act = act

    def __init__(self, line: Line) -> None:
        super().__init__(line.content)
        self.line = line
        self.set_class(bool(line.act), "-does")

    def on_click(self, event: events.Click) -> None:
        """Tell the pane."""
        event.stop()
        if not self.line.beside:
            self.post_message(self.Pressed(self.line.act))

    def action_press(self, key: str) -> None:
        """Do what a key in the line does, since the key was clicked."""
        self.post_message(self.Pressed(dict(self.line.acts)[key]))

    def take(self, line: Line) -> None:
        """Show another line from now on."""
        if line != self.line:
            if line.content != self.line.content:
                self.update(line.content)
            self.line = line
            self.set_class(bool(line.act), "-does")
