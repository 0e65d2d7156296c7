"""The list of changed files beside the diff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from nagomi_tui.review.comments import Notes, is_seen
from nagomi_tui.review.model import FileChange
from nagomi_tui.text.cells import cells, cut_left, pad
from nagomi_tui.view.common.translate import tr_count
from nagomi_tui.view.review.paint import Palette, palette


class FileList(ScrollView, can_focus=False):
    """The names of all files beside the diff, with counts; a click goes to one."""

    DEFAULT_CSS = """
    FileList {
        width: 34; height: 1fr; background: $background; overflow-x: hidden;
        scrollbar-size-vertical: 1; border-right: solid $frame;
    }
    """

    @dataclass
    class Chosen(Message):
        """A file was clicked."""

        number: int

    def __init__(self) -> None:
        super().__init__()
        self._files: Sequence[FileChange] = ()
        self._notes: Notes | None = None
        self._current = -1
        self._look: Palette | None = None
        self._commented: frozenset[bytes] = frozenset()

    def show(self, files: Sequence[FileChange], notes: Notes, current: int) -> None:
        """Show these files, with the current one in sight."""
        self._files, self._notes = files, notes
        self._commented = frozenset(one.path for one in notes.comments)
        self.virtual_size = Size(self.size.width, len(files))
        self.mark(current)

    def mark(self, current: int) -> None:
        self._current = current
        if current >= 0 and self.size.height:
            self.scroll_to_region(
                Region(0, current, 1, 1), animate=False, force=True, immediate=True
            )
        self.refresh()

    def notify_style_update(self) -> None:
        """Take the colours of another theme."""
        super().notify_style_update()
        self._look = None

    def render_line(self, y: int) -> Strip:
        width, at = self.scrollable_content_region.width, self.scroll_offset.y + y
        if self._look is None:
            self._look = palette(self.app.theme_variables, self.app.theme)
        look = self._look
        if at >= len(self._files):
            return Strip.blank(width, look.base)
        one = self._files[at]
        base = look.header if at == self._current else look.base
        seen = self._notes is not None and is_seen(self._notes, one)
        counts = [Segment(f" +{one.added}", base + look.good)] if one.added else []
        counts += [Segment(f" −{one.removed}", base + look.bad)] if one.removed else []
        sign = "✓" if seen else "●" if one.path in self._commented else " "
        head = f"{'▌' if at == self._current else ' '}{sign}{one.status} "
        room = max(1, width - cells(head) - sum(cells(part.text) for part in counts))
        name = pad(cut_left(one.name, room), room)
        line = [
            Segment(head, base + (look.muted if seen else look.note)),
            Segment(name, base + (look.muted if seen else Style.null())),
            *counts,
        ]
        return Strip(line).adjust_cell_length(width, base)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = self.scroll_offset.y + event.y
        if at < len(self._files):
            self.post_message(self.Chosen(at))


def summary(files: Sequence[FileChange]) -> str:
    """Return how much has changed, in a few words."""
    added, removed = sum(one.added for one in files), sum(one.removed for one in files)
    count = tr_count("{count} file", "{count} files", len(files))
    return f"{count} +{added} −{removed}"
