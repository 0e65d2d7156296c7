"""Where panes lie on the terminal, and which of them nothing covers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nagomi_tui.view.common import textual_private
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.pane.terminal_copy import CellRect

if TYPE_CHECKING:
    from textual.app import App
    from textual.geometry import Region
    from textual.widget import Widget

    from nagomi_tui.view.pane.buffer import PaneBuffer


class Placement(NamedTuple):
    """Where a pane lies; `exposed` where nothing lies over any cell of it."""

    rect: CellRect
    exposed: bool


class LayoutReader:
    """Reads Textual's layout, on Textual's loop; once for each layout."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._seen: object = None
        self._placements: dict[PaneBuffer, Placement] = {}

    def look(self) -> dict[PaneBuffer, Placement]:
        """Return the panes of the screen on top that are wholly inside it."""
        screen = textual_private.top_screen(self._app)
        if screen is None:
            return {}
        widgets = textual_private.visible_widgets(screen)
        # A new layout is a new map, so the map itself says whether anything moved.
        if widgets is not self._seen:
            self._seen = widgets
            self._placements = placements(widgets)
        return self._placements


def placements(widgets: dict[Widget, tuple[Region, Region]]) -> dict[PaneBuffer, Placement]:
    """Return where the panes among `widgets` (front to back, with region and clip) lie."""
    found: dict[PaneBuffer, Placement] = {}
    above: list[Region] = []
    for widget, (region, clip) in widgets.items():
        seen = region.intersection(clip)
        if isinstance(widget, TerminalPane) and clip.contains_region(region):
            covered = any(other.overlaps(region) for other in above)
            found[widget.buffer] = Placement(CellRect(*region), exposed=not covered)
        above.append(seen)
    return found
