"""The middle of the main screen: one view at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container

from nagomi_tui.view.screens.chat_view import ChatView
from nagomi_tui.view.screens.empty_view import EmptyView
from nagomi_tui.view.screens.list_view import ListView
from nagomi_tui.view.screens.run_view import RunView
from nagomi_tui.view.screens.state import ViewName
from nagomi_tui.view.screens.tile import Tile
from nagomi_tui.view.screens.zoom_view import ZoomView

if TYPE_CHECKING:
    from typing import TypeAlias

    from textual import events
    from textual.widget import AwaitMount

    from nagomi_tui.view.connection.roles import PaneLink
    from nagomi_tui.view.pane.pane import TerminalPane
    from nagomi_tui.view.screens.state import AppState

    View: TypeAlias = RunView | ListView | ChatView | ZoomView
_VIEWS = (RunView, ListView, ChatView, ZoomView)


class Stage(Container):
    """Shows the overview, the chat, one zoomed session, or a welcome while there is none."""

    DEFAULT_CSS = """
    Stage { width: 1fr; height: 1fr; }
    """

    def __init__(self, link: PaneLink, state: AppState) -> None:
        super().__init__()
        self._link = link
        self._state = state

    def show(self) -> None:
        """Bring the view up to date; another view is made only when it is wanted."""
        wanted = self._wanted()
        shown = self.children[-1] if self.children else None
        if type(shown) is wanted:
            if isinstance(shown, _VIEWS) and _is_whole(shown):
                shown.show()
            return
        self.remove_children()
        self.mount(self._make(wanted))

    def on_resize(self, event: events.Resize) -> None:
        """Another size may want another view."""
        if self.children and type(self.children[-1]) is not self._wanted():
            self.show()

    @property
    def lists(self) -> bool:
        """Whether the overview is shown as a list, with the focused session below it."""
        return self._wanted() is ListView

    def rebuild(self) -> AwaitMount:
        """Make the view anew, such as for another language."""
        self.remove_children()
        return self.mount(self._make(self._wanted()))

    def _wanted(self) -> type[View | EmptyView]:
        if not self._state.sessions:
            return EmptyView
        if self._state.zoomed:
            return ZoomView
        if self._state.view is ViewName.CHAT:
            return ChatView
        listed = self._state.overview.fits(
            len(self._state.sessions), self.size.width, self.size.height
        )
        return ListView if listed else RunView

    def _make(self, wanted: type[View | EmptyView]) -> View | EmptyView:
        if wanted is EmptyView:
            return EmptyView(self._state.library.one(self._state.settings.character))
        return next(view for view in _VIEWS if view is wanted)(self._link, self._state)

    def tick(self) -> None:
        """Update the times that are shown."""
        for shown in self.children:
            if isinstance(shown, _VIEWS) and _is_whole(shown):
                shown.tick()

    def show_faces(self) -> None:
        """Show the faces as they are now."""
        for shown in self.children:
            if isinstance(shown, (RunView, ListView, ChatView)) and _is_whole(shown):
                shown.show_faces()

    def neighbour(self, direction: str) -> str:
        """Return the id of the session in a direction from the focused one, or "" without tiles."""
        for shown in self.children:
            if isinstance(shown, (RunView, ListView)):
                return shown.neighbour(direction)
        return ""

    def pane_in_front(self) -> TerminalPane | None:
        """Return the pane of the focused session, or None if it is not shown."""
        for shown in self.children:
            if isinstance(shown, ZoomView):
                return shown.pane
        for shown in self.children:
            if isinstance(shown, ChatView):
                lane = shown.lane_in_front()
                return lane.pane if lane else None
        tiles = (tile for shown in self.children for tile in shown.children)
        for tile in tiles:
            if isinstance(tile, Tile) and tile.session.session_id == self._state.focused:
                return tile.pane
        return None


def _is_whole(view: View) -> bool:
    """Whether a view has all its parts: one that is being removed loses them one by one."""
    return bool(view.is_mounted and view.display)
