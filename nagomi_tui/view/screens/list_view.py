"""みんなの様子 line by line: all sessions, and below them or at their right the focused one."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Container

from nagomi_tui.sessions.standing import needs_user
from nagomi_tui.text.layout import ASKING_ROWS
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.screens.run_view import Gists, RunView, Tile
from nagomi_tui.view.screens.session_list import SessionList
from nagomi_tui.view.screens.state import AppState

_LIST_AT_LEAST: Final = 4
_SHARE: Final = 0.45
"""Largest share of the rows that the list takes from the session below it."""
_BESIDE_FROM: Final = 160
"""Columns from which the list stands at the left of the session."""
_BESIDE_AT_MOST: Final = 72
_SESSION_AT_LEAST: Final = 102
"""Columns of the session beside the list, its frame included."""


def room_beside_list(width: int, height: int, lines: int, *, asks: bool = False) -> tuple[int, int]:
    """Return columns and rows of the session's tile beside or below a list of so many lines.

    A session that `asks` has more of the rows.
    """
    if width >= _BESIDE_FROM:
        return width - min(_BESIDE_AT_MOST, width - _SESSION_AT_LEAST), height
    most = min(int(height * _SHARE), height - ASKING_ROWS if asks else height)
    return width, height - min(max(1, lines), max(_LIST_AT_LEAST, most))


class ListView(Container):
    """The overview where tiles would be too small, or are too many."""

    DEFAULT_CSS = """
    ListView { width: 1fr; height: 1fr; layout: vertical; background: $background; }
    ListView > Tile { height: 1fr; width: 1fr; }
    ListView.-beside { layout: horizontal; }
    """

    def __init__(self, link: Link, state: AppState) -> None:
        super().__init__()
        self._link = link
        self._state = state
        self._gists = Gists(link, self._redraw)
        self._list = SessionList(lambda one: next(reversed(self._gists.of(one)), ""))
        self._hidden_counts = (-1, -1)

    def compose(self) -> ComposeResult:
        yield self._list
        if (session := self._state.current) is not None:
            tile = Tile(self._link, session)
            tile.pane.takes_words = True
            yield tile

    def on_mount(self) -> None:
        if self.display:  # else it is being removed already
            self.show()

    def on_resize(self, event: events.Resize) -> None:
        """Divide the rows anew."""
        if self.display:
            self.show()

    def on_session_list_resized(self) -> None:
        """Keep the focused line in sight in the rows that the list has got."""
        self._settled()

    # --- what it shows

    def show(self) -> None:
        """Bring lines and the session below them up to date."""
        state = self._state
        self._list.show(state.listing, state.focused, state.overview.marked(state.ordered))
        width, height = self.size
        beside = width >= _BESIDE_FROM
        cols, rows = room_beside_list(width, height, self._list.lines, asks=bool(state.asking()))
        self.set_class(beside, "-beside")
        self._list.styles.width = width - cols if beside else "1fr"
        self._list.styles.height = "1fr" if beside else height - rows
        self._show_tile()
        self.call_after_refresh(self._settled)

    def _show_tile(self) -> None:
        session = self._state.current
        if session is None:
            return
        for tile in self.query(Tile):
            tile.show(
                session,
                focused=True,
                fps=self._state.fps(session.session_id),
                face=self._state.face_line(session),
            )
            tile.size_session(self._state.settings)

    def _settled(self) -> None:
        """The rows are divided: keep the focused line in sight, and read what is seen."""
        self._list.keep_in_sight()
        self._read()
        self._count_hidden()

    def show_faces(self) -> None:
        self._show_tile()

    def tick(self) -> None:
        """Let the times go on, and read the sessions again."""
        self._read()
        self._list.refresh()
        for tile in self.query(Tile):
            tile.tick()

    def _read(self) -> None:
        self._gists.read(self._list.in_sight)

    def _redraw(self) -> None:
        if self.is_mounted:
            self._list.refresh()

    def _count_hidden(self) -> None:
        shown = self._state.listing.shown
        seen = {session.session_id for session in self._list.in_sight}
        first = next((at for at, one in enumerate(shown) if one.session_id in seen), 0)
        away = [(at, one) for at, one in enumerate(shown) if one.session_id not in seen]
        above = sum(needs_user(one) for at, one in away if at < first)
        counts = above, sum(needs_user(one) for _, one in away) - above
        if counts != self._hidden_counts:
            self._hidden_counts = counts
            self.post_message(RunView.HiddenWaiting(*counts))

    def neighbour(self, direction: str) -> str:
        """Return the id of the session above or below the focused one."""
        state = self._state
        order = [one.session_id for one in state.listing.shown]
        if state.focused not in order:
            return state.focused
        step = {"up": -1, "down": 1}.get(direction, 0)
        return order[max(0, min(len(order) - 1, order.index(state.focused) + step))]
