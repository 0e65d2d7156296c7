"""The overview's grid of tiles, and what a small tile says of its session."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from nagomi_tui.api.messages import Capture, Captured, Failed
from nagomi_tui.sessions.session import AT_WORK, Condition, Session, has_ended
from nagomi_tui.sessions.standing import needs_user
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.cells import printable
from nagomi_tui.text.layout import (
    ASKING_ROWS,
    Tiling,
    hidden,
    neighbour,
    scroll_to_show,
    tile,
    unseen,
)
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.widgets import SessionChosen
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.framed import Framed
from nagomi_tui.view.screens.header import places_differ
from nagomi_tui.view.screens.session_list import EndedLine, said
from nagomi_tui.view.screens.state import AppState

_ROWS: Final = 8
"""Rows of a pane below which an agent's screen is little more than its empty prompt."""


_KEYS_COLUMNS: Final = 20
_KEYS_ROWS: Final = 4
"""Size of the smallest terminal that is given to a session because it has the keys."""


class Tile(Framed):
    """One session in the overview."""

    DEFAULT_CSS = """
    Tile > .gist { display: none; height: 1fr; padding: 0 1; color: $foreground; }
    Tile.-gist > .gist { display: block; }
    Tile.-gist > TerminalPane { display: none; }
    """

    def __init__(self, link: Link, session: Session) -> None:
        super().__init__(link, session)
        self._least = (0, 0)
        """Columns and rows from which the session takes the tile's size."""
        self._gist_shown = Static(classes="gist")

    def compose(self) -> ComposeResult:
        """Yield the parts of a frame, and what stands in the pane's place where that is too small."""
        yield self._gist_shown
        yield from super().compose()

    @property
    def is_too_small(self) -> bool:
        """Whether the session draws a screen of its own that has no room; one with the keys is shown."""
        rows = self.size.height
        crowded = 0 < rows < min(_ROWS, self.session.rows)
        draws = bool(self.session.agent_name) and not has_ended(self.session)
        return crowded and draws and not self.focused_here

    def size_session(self, settings: Settings) -> None:
        """Have the session take the tile's size where that has the least size of the settings."""
        self._least = settings.tile_columns, settings.tile_rows
        self._size_session()

    def on_resize(self) -> None:
        """Look again whether there is room enough for the session to take the tile's size."""
        self._size_session()

    def _size_session(self) -> None:
        """Nearly any size is enough for the session with the keys; others are shown in part first.

        Of them, one that asks keeps its size where it would lose rows that a question may need: with
        fewer than it has asked in, some agents show nothing.
        """
        (cols, rows), room = self.outer_size, self.pane.size
        asks = self.session.condition is Condition.ATTENTION
        loses = asks and rows < ASKING_ROWS and room.height < self.session.rows
        wide = cols >= self._least[0] and rows >= self._least[1] and not loses
        has_keys = self.focused_here and room.width >= _KEYS_COLUMNS and room.height >= _KEYS_ROWS
        if self.pane.own_size != (wide or has_keys):
            self.pane.own_size = wide or has_keys

    def show_gist(self, lines: Sequence[str]) -> None:
        """Show what the session asks, or its summary, over the last of these lines.

        The pane is shown where there is room for it, and where the session has said nothing yet: it
        shows the field of an agent that was asked nothing.
        """
        shown = self._gist(lines) if self.is_too_small else []
        self.set_class(bool(shown), "-gist")
        if shown:
            self._gist_shown.update(Content("\n").join(shown))

    def _gist(self, lines: Sequence[str]) -> list[Content]:
        first, color = said(self.session, "")
        room = max(1, self.size.height) - bool(first)
        rest = [line for line in lines if line != first][-room:] if room else []
        head = Content.styled(first, f"${color}") if first else None
        return [*([head] if head else []), *(Content(line) for line in rest)]


AGAIN_SECONDS: Final = 2.0
"""Seconds from reading a session to reading it again."""
LINES: Final = 4
"""Lines that are kept of each."""


class Gists:
    """Asks for the screens of sessions, one request for each at a time, and keeps their gist."""

    def __init__(self, link: Link, changed: Callable[[], object]) -> None:
        """`changed` is called when a session says something else than before."""
        self._link = link
        self._changed = changed
        self._lines: dict[str, tuple[str, ...]] = {}
        self._due: dict[str, float] = {}
        """When each is read again, on the monotonic clock; infinite while an answer is awaited."""
        self._states: dict[str, Session] = {}

    def of(self, session_id: str) -> tuple[str, ...]:
        """Return the last lines of a session, the newest last; none while they are not known."""
        return self._lines.get(session_id, ())

    def read(self, sessions: Iterable[Session]) -> None:
        """Read those that may say something new; an ended one says it once."""
        now = time.monotonic()
        for session in sessions:
            known = self._states.get(session.session_id)
            if has_ended(session) and known is not None and has_ended(known):
                continue
            if now >= self._due.get(session.session_id, 0.0):
                self._ask(session)

    def _ask(self, session: Session) -> None:
        session_id = session.session_id
        self._due[session_id] = float("inf")

        def answered(answer: Captured | Failed) -> None:
            self._due[session_id] = time.monotonic() + AGAIN_SECONDS
            if isinstance(answer, Failed):
                return
            from nagomi_tui.judge.account import gist  # only lists of sessions need it

            agent = bool(session.agent_name)
            before = self._states.get(session_id, session)
            if agent and self.of(session_id) and _only_resized(before, session):
                # Its words may have left the screen, which is drawn anew around its field, for good.
                self._states[session_id] = msgspec.structs.replace(before, cols=0)
                return
            self._states[session_id] = session
            unasked = agent and session.is_unasked
            rests = session.phase not in AT_WORK and not has_ended(session)
            told = () if unasked else gist(answer.text, LINES, agent=agent, rests=rests)
            lines = tuple(printable(line) for line in told)
            if lines != self._lines.get(session_id):
                self._lines[session_id] = lines
                self._changed()

        self._link.request(Capture(id=0, session=session_id), answered)


def _only_resized(before: Session, now: Session) -> bool:
    """Tell whether nothing but the size of a session at rest is another one."""
    if now.phase in AT_WORK or (before.turn, before.phase) != (now.turn, now.phase):
        return False
    return (before.cols, before.rows) != (now.cols, now.rows)


DOUBLE_CLICK_SECONDS = 0.3
"""Seconds for which enlarging waits for a second click, so that a double click does not flicker."""
_MANY = 16
"""Tiles that are drawn as often as the settings say; more of them share the frames of so many."""
_LEAST_FPS = 3
_ROW_SECONDS = 0.05
"""Seconds from updating the times in one row of tiles to those in the next."""


class _TileLayout(Layout):
    """Places tiles as `nagomi_tui.text.layout` computes."""

    name = "tiles"

    def __init__(self, grid: RunView) -> None:
        self._grid = grid

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        tiling = self._grid.tiling_for(len(children), size)
        return [
            WidgetPlacement(
                Region(place.x, place.y, place.width, place.height),
                NULL_OFFSET, NULL_SPACING, child,
            )
            for place, child in zip(tiling.places, children, strict=False)
        ]  # fmt: skip


class RunView(Container):
    """The grid of tiles; it scrolls where they would become too small (N-38 … N-40)."""

    DEFAULT_CSS = """
    RunView {
        width: 1fr; height: 1fr; overflow-x: hidden; overflow-y: auto;
        scrollbar-size-vertical: 1; background: $background;
    }
    """

    @dataclass
    class Enlarge(Message):
        """The tile of a session is to be enlarged; for "" all are to have one size again."""

        session_id: str

    @dataclass
    class HiddenWaiting(Message):
        """How many sessions that wait are above and below what is seen."""

        above: int
        below: int

    def __init__(self, link: Link, state: AppState) -> None:
        super().__init__()
        self._link = link
        self._state = state
        self._tiles = _TileLayout(self)
        self._tiling = Tiling((), 0, 0)
        self._enlarging: Timer | None = None
        self._gists = Gists(link, self._show_gists)
        self._hidden_counts = (-1, -1)
        self._seen = 0
        """How many tiles lie at least partly within what is seen."""

    @property
    def _shown(self) -> list[Tile]:
        """The tiles, in their order; a query would compare each widget below them with a selector."""
        return [child for child in self.children if isinstance(child, Tile)]

    @property
    def layout(self) -> Layout:
        return self._tiles

    def tiling_for(self, count: int, size: Size) -> Tiling:
        """Return the places of `count` tiles in an area of this size."""
        order = [session.session_id for session in self._state.listing.shown]
        at = {session_id: place for place, session_id in enumerate(order[:count])}
        self._tiling = tile(
            count,
            size.width,
            size.height,
            enlarged=at.get(self._state.enlarged),
            asking=at.get(self._state.asking()),
            min_columns=self._state.settings.tile_columns,
        )
        return self._tiling

    def neighbour(self, direction: str) -> str:
        """Return the id of the session in a direction from the focused one, or ""."""
        order = [session.session_id for session in self._state.listing.shown]
        if self._state.focused not in order or len(order) != len(self._tiling.places):
            return self._state.focused
        return order[neighbour(self._tiling, order.index(self._state.focused), direction)]

    # --- what it shows

    def compose(self) -> ComposeResult:
        for session in self._state.listing.shown:
            yield Tile(self._link, session)
        yield EndedLine()

    def on_mount(self) -> None:
        if self.display:  # else it is being removed already
            self.show()

    def show(self) -> None:
        """Bring the tiles up to date: they come, go and move without touching the others."""
        ordered, folded = self._state.listing
        tiles = {tile.session.session_id: tile for tile in self._shown}
        for session_id in tiles.keys() - {session.session_id for session in ordered}:
            tiles.pop(session_id).remove()
        for at, session in enumerate(ordered):
            found = tiles.get(session.session_id)
            if found is None:
                self.mount(Tile(self._link, session), before=at if at < len(tiles) else None)
        self.query_one(EndedLine).show(folded)
        self._show_each()
        for shown in self._shown:
            # A child's wish for layout is what makes Textual arrange this grid anew.
            shown.refresh(layout=True)
            break
        self.call_after_refresh(self._keep_in_sight)

    def on_resize(self) -> None:
        """Look again which tiles are seen: another size may show all of them."""
        self.call_after_refresh(self._keep_in_sight)

    def show_faces(self) -> None:
        self._show_each()

    def _show_each(self) -> None:
        order = [session.session_id for session in self._state.listing.shown]
        differ = places_differ(self._state.listing.shown)
        for shown in self._shown:
            session = self._state.sessions.get(shown.session.session_id)
            if session is not None:
                if shown.tells_place != differ:
                    shown.tells_place = differ
                    shown.refresh()
                shown.show(
                    session,
                    focused=session.session_id == self._state.focused,
                    fps=self._fps(session.session_id),
                    face=self._state.face_line(session),
                )
                shown.size_session(self._state.settings)
                shown.pane.takes_words = len(order) == 1
        if [shown.session.session_id for shown in self._shown] != order:
            places = {session_id: at for at, session_id in enumerate(order)}
            self.sort_children(key=lambda child: _place(child, places))

    def _keep_in_sight(self) -> None:
        order = [session.session_id for session in self._state.listing.shown]
        if self._state.focused in order and len(order) == len(self._tiling.places):
            at = order.index(self._state.focused)
            top = scroll_to_show(
                self._tiling, at, top=self.scroll_offset.y, height=self.size.height
            )
            self.scroll_to(y=top, animate=False)
        self._look_what_is_seen()
        self._show_gists()

    def _show_gists(self) -> None:
        """Have tiles that are too small for an agent's screen say what matters."""
        shown = self._shown
        self._gists.read(one.session for one in shown if one.pane.in_sight and one.is_too_small)
        for one in shown:
            one.show_gist(self._gists.of(one.session.session_id))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """See again which tiles cannot be seen."""
        super().watch_scroll_y(old_value, new_value)
        self._look_what_is_seen()

    def _look_what_is_seen(self) -> None:
        top, height = self.scroll_offset.y, self.size.height
        away = unseen(self._tiling, top=top, height=height)
        for at, shown in enumerate(self._shown):
            shown.pane.in_sight = at not in away
        seen = len(self._tiling.places) - len(away)
        if seen != self._seen:
            self._seen = seen
            for shown in self._shown:
                shown.pane.fps = self._fps(shown.session.session_id)
        self._count_waiting(*hidden(self._tiling, top=top, height=height))

    def _count_waiting(self, above: list[int], below: list[int]) -> None:
        ordered = self._state.listing.shown
        counts = tuple(
            sum(at < len(ordered) and needs_user(ordered[at]) for at in side)
            for side in (above, below)
        )
        if counts != self._hidden_counts:
            self._hidden_counts = counts[0], counts[1]
            self.post_message(self.HiddenWaiting(*self._hidden_counts))

    def _fps(self, session_id: str) -> int:
        """Return the most frames a second of a tile: fewer for each where many are seen."""
        fps = self._state.fps(session_id)
        if session_id == self._state.focused or self._seen <= _MANY:
            return fps
        return max(min(fps, _LEAST_FPS), fps * _MANY // self._seen)

    def tick(self) -> None:
        """Let the times go on, a row of tiles after the other.

        Textual draws everything between the places that it draws in one go.
        """
        self._show_gists()
        rows: dict[int, list[Tile]] = {}
        for shown in self.children:
            if isinstance(shown, Tile) and shown.pane.in_sight and shown.late:
                rows.setdefault(shown.region.y, []).append(shown)
        first, *others = sorted(rows) or [0]
        # A timer of no time at all divides by it once the loop is late.
        _tick(rows.get(first, []))
        for at, y in enumerate(others, 1):
            self.set_timer(at * _ROW_SECONDS, partial(_tick, rows[y]))

    # --- clicks

    def on_terminal_pane_clicked(self, event: TerminalPane.Clicked) -> None:
        """Treat a click on a pane as one on its tile."""
        event.stop()
        self._clicked(event.pane.session_id, event.double)

    def on_click(self, event: events.Click) -> None:
        """Treat a click on a tile's frame, header or line as one on the tile."""
        widget = event.widget
        for one in widget.ancestors_with_self if widget else ():
            if isinstance(one, Tile):
                self._clicked(one.session.session_id, event.chain % 2 == 0)

    def _clicked(self, session_id: str, double: bool) -> None:
        """Focus at once, enlarge when no second click comes: neither flickers (NB-17)."""
        if self._enlarging is not None:
            self._enlarging.stop()
            self._enlarging = None
        if double:
            self.post_message(self.Enlarge(""))
            return
        self.post_message(SessionChosen(session_id))
        self._enlarging = self.set_timer(DOUBLE_CLICK_SECONDS, partial(self._enlarge, session_id))

    def _enlarge(self, session_id: str) -> None:
        self._enlarging = None
        self.post_message(self.Enlarge(session_id))


def _place(widget: Widget, places: Mapping[str, int]) -> int:
    """Return where a tile stands; what is no tile stands behind all tiles."""
    if isinstance(widget, Tile):
        return places.get(widget.session.session_id, len(places))
    return len(places)


def _tick(tiles: list[Tile]) -> None:
    for shown in tiles:
        if shown.is_mounted:
            shown.tick()
