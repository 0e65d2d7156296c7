"""A tile of the overview; an agent's that is too small says what matters instead of showing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.widgets import Static

from nagomi_tui.core.session.session import has_ended
from nagomi_tui.view.screens.framed import Framed
from nagomi_tui.view.screens.session_line import said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

_ROWS: Final = 8
"""Rows of a pane below which an agent's screen is little more than its empty prompt."""


class Tile(Framed):
    """One session in the overview."""

    DEFAULT_CSS = """
    Tile > .gist { display: none; height: 1fr; padding: 0 1; color: $foreground; }
    Tile.-gist > .gist { display: block; }
    Tile.-gist > TerminalPane { display: none; }
    """

    def compose(self) -> ComposeResult:
        """Yield the parts of a frame, and what stands in the pane's place where that is too small."""
        yield Static(classes="gist")
        yield from super().compose()

    @property
    def is_too_small(self) -> bool:
        """Whether the session draws a screen of its own that has no room; one with the keys is shown."""
        rows = self.size.height
        crowded = 0 < rows < min(_ROWS, self.session.rows)
        draws = bool(self.session.agent_name) and not has_ended(self.session)
        return crowded and draws and not self.focused_here

    def show_gist(self, lines: Sequence[str]) -> None:
        """Show what the session asks, or its summary, over the last of these lines.

        The pane is shown where there is room for it, and where the session has said nothing yet: it
        shows the field of an agent that was asked nothing.
        """
        shown = self._gist(lines) if self.is_too_small else []
        self.set_class(bool(shown), "-gist")
        if shown:
            self.query_one(".gist", Static).update(Content("\n").join(shown))

    def _gist(self, lines: Sequence[str]) -> list[Content]:
        first, color = said(self.session, "")
        room = max(1, self.size.height) - bool(first)
        rest = [line for line in lines if line != first][-room:] if room else []
        head = Content.from_markup(f"[${color}]$first[/]", first=first) if first else None
        return [*([head] if head else []), *(Content(line) for line in rest)]
