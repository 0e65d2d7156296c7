"""Marks over a pane's lines: what is selected, the link under the mouse, copy mode's cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from nagomi_tui.core.copy.marks import Marks
from nagomi_tui.core.copy.selection import Selection, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.core.copy.grid import At
    from nagomi_tui.core.copy.marks import Look
    from nagomi_tui.core.copy.urls import Hyperlink
    from nagomi_tui.core.text.screen import Style
    from nagomi_tui.view.pane.buffer import OnRenumbered, PaneBuffer
    from nagomi_tui.view.pane.viewport import Viewport


class MarkedLines:
    """Lays marks over the lines of a buffer, and has them follow their text."""

    def __init__(
        self,
        buffer: PaneBuffer,
        viewport: Viewport,
        *,
        looks: Callable[[], Mapping[Look, Style]],
        laid: Callable[[], object],
        ask_again: Callable[[], object],
        pointed: Callable[[str], object],
    ) -> None:
        self._buffer = buffer
        self._viewport = viewport
        self._looks = looks
        """Returns how each kind of mark looks, in the theme of the moment."""
        self._laid = laid
        """Called when other marks lie over the lines."""
        self._ask_again = ask_again
        """Asks the orchestrator anew, since the viewport wants something else."""
        self._on_pointed = pointed
        """Hears where the link under the mouse leads, or "" for none."""
        self._pointed: Hyperlink | None = None
        """The link under the mouse."""
        self.on_renumbered: OnRenumbered = lambda _by, _kept: None
        """Hears when the session was reflowed."""
        buffer.on_spoiled = self._spoiled
        buffer.on_renumbered = self._renumbered

    def lay(self, marks: Marks | None) -> None:
        """Lay marks over the session's lines, or none."""
        self._lay(marks, watch_on=False)

    def select(self, selection: Selection | None) -> None:
        """Show what is selected; it goes when other text comes where it was."""
        buffer = self._buffer
        if selection is None and (buffer.marks is None or buffer.marks.selection is None):
            return
        self.lay(msgspec.structs.replace(buffer.marks or Marks(), selection=selection))
        if selection is not None:
            buffer.watch(range(selection.first.line, selection.last.line + 1))

    def point_at(self, link: Hyperlink | None) -> None:
        """Underline a link, and tell where it leads; None for no link."""
        buffer, before = self._buffer, self._pointed
        marks = buffer.marks or Marks()
        if link == before or marks.cursor is not None:
            return
        self._pointed = link
        if marks.link in (None, before):
            self._lay(msgspec.structs.replace(marks, link=link), watch_on=True)
            if link is not None and not buffer.watched_lines:
                buffer.watch(range(link.first.line, link.last.line + 1))
        if (link.target if link else "") != (before.target if before else ""):
            self._on_pointed(link.target if link else "")

    def _lay(self, marks: Marks | None, *, watch_on: bool) -> None:
        self._buffer.lay(marks, self._looks(), watch_on=watch_on)
        self._keep(marks or Marks())
        self._laid()

    def _spoiled(self) -> None:
        self.select(None)
        self.point_at(None)

    def _keep(self, marks: Marks) -> None:
        """Have the ends of what is selected, or the cursor, found again after a reflow."""
        selection = marks.selection
        kept: tuple[At, ...] = (selection.anchor, selection.head) if selection else ()
        if marks.cursor is not None and not kept:
            kept = (marks.cursor,)
        if self._viewport.keep(kept):
            self._ask_again()

    def _renumbered(self, by: int, kept: tuple[At, ...]) -> None:
        """The session was reflowed: what is selected stays with its text, but for a block."""
        marks = self._buffer.marks
        selection = marks.selection if marks else None
        if selection is not None:
            follows = len(kept) == 2 and selection.shape is not Shape.BLOCK
            self.select(Selection(kept[0], kept[1], selection.shape) if follows else None)
        self.on_renumbered(by, kept)
