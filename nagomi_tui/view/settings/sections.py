"""The names of all sections of the settings, beside them or as one line above."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from nagomi_tui.settings.field import SECTIONS
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from textual import events


class Sections(Static):
    """The names of all sections; a click goes there."""

    DEFAULT_CSS = """
    Sections { width: 18; height: auto; color: $muted; }
    """

    class Chosen(Message):
        """A section was clicked."""

        def __init__(self, section: str) -> None:
            super().__init__()
            self.section = section

    section = next(iter(SECTIONS))
    narrow = False

    def show(self, section: str, *, narrow: bool) -> None:
        """Mark the open section; "" for none, while everything is searched."""
        self.section, self.narrow = section, narrow
        self.refresh(layout=True)

    def render(self) -> Content:
        """One name a line, or the open one alone."""
        if self.narrow:
            at = list(SECTIONS).index(self.section) + 1 if self.section else 0
            title = tr(SECTIONS[self.section]) if self.section else tr("Found")
            return Content.from_markup(
                "‹ [$primary bold]$title[/] ›  $at", title=title, at=f"{at}/{len(SECTIONS)}"
            )
        lines = [
            Content.from_markup("[$primary bold]▌ $title[/]", title=tr(title))
            if name == self.section
            else Content.from_markup("  $title", title=tr(title))
            for name, title in SECTIONS.items()
        ]
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """Go to the section under the mouse, or to the next one."""
        event.stop()
        names = list(SECTIONS)
        at = (names.index(self.section) + 1) % len(names) if self.section else 0
        at = at if self.narrow else event.y
        if at < len(names):
            self.post_message(self.Chosen(names[at]))
