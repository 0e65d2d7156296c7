"""A page of docs/, as `nagomi help` shows it, at the heading that was looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from nagomi_tui.text.markdown import Piece, Renderer
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.dialog import Dialog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from nagomi_tui.system.pages import Page

_WIDTH = 100
"""Columns of the dialog, if the terminal has as many."""
_EDGES = 8
"""Columns of its frame, padding and scrollbar."""


class PageDialog(Dialog[bool]):
    """A page to scroll through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", show=False, priority=True),
        Binding("down,j", "scroll(1)", show=False, priority=True),
        Binding("pageup,b", "turn(-1)", show=False, priority=True),
        Binding("pagedown,space", "turn(1)", show=False, priority=True),
        Binding("home,g", "scroll(-100000)", show=False, priority=True),
        Binding("end,G", "scroll(100000)", show=False, priority=True),
        Binding("enter,q", "close", show=False, priority=True),
    ]
    DEFAULT_CSS = f"""
    PageDialog > .box {{ width: {_WIDTH}; height: 94%; }}
    PageDialog VerticalScroll {{ height: 1fr; scrollbar-size-vertical: 1; }}
    """

    def __init__(self, page: Page, at: int = 0) -> None:
        """Begin with the section of this index."""
        super().__init__()
        self._page = page
        self._at = at
        self._drawn_for = 0
        """The terminal's width for which the page was drawn."""

    def compose(self) -> ComposeResult:
        """The whole page in one widget: a page may have a hundred sections."""
        yield self.box(
            VerticalScroll(Static()),
            title=self._page.title,
            foot=tr("↑↓ PgUp PgDn to scroll · Esc to close"),
        )

    def on_resize(self) -> None:
        """Break lines for the new width, and go to the section that was looked for."""
        super().on_resize()
        if self.app.size.width != self._drawn_for:
            self._drawn_for = self.app.size.width
            drawn = list(self._drawn())
            self.query_one(VerticalScroll).query_one(Static).update(Text("\n").join(drawn))
            above = sum(len(text.plain.split("\n")) for text in drawn[: self._at])
            self.call_after_refresh(self._go, above)

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_turn(self, pages: int) -> None:
        """Scroll by screens, of which one line stays."""
        self.action_scroll(pages * (self.query_one(VerticalScroll).size.height - 1))

    def _go(self, line: int) -> None:
        scroll = self.query_one(VerticalScroll)
        if scroll.query_one(Static).size.height:
            scroll.scroll_to(y=line, animate=False)
        else:  # It has not been laid out yet.
            self.call_after_refresh(self._go, line)

    def _drawn(self) -> Iterator[Text]:
        """Yield the sections, drawn for the terminal's width."""
        width = min(_WIDTH, self._drawn_for) - _EDGES
        renderer = Renderer(color=False)
        for section in self._page.sections:
            yield Text.from_ansi(renderer.render(Piece(section.text), width) + "\n")
