"""Has a front end go on where the last one in its place was left, by whatever end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nagomi_tui.view.screens.keeping import kept_of, restore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nagomi_tui.view.app.keeper import Keeper
    from nagomi_tui.view.pane.viewport import Viewport
    from nagomi_tui.view.screens.keeping import Keepable, Scrolls


class ScrolledPane(Protocol):
    """A pane, and which lines of its session it shows."""

    @property
    def session_id(self) -> str:
        """The session shown."""

    @property
    def viewport(self) -> Viewport:
        """Which part of the session is shown."""

    def show_from(self, line: int, left_tail_at: int) -> None:
        """Show the session from a line on."""


class Memory:
    """Takes up what was kept, and keeps what changes; without a `keeper` nothing is kept."""

    def __init__(self, state: Keepable, panes: Callable[[], Iterable[ScrolledPane]]) -> None:
        """`panes` returns those that are shown."""
        self.keeper: Keeper | None = None
        self.asked = ""
        """Id of the session that the user asked for at the start, or ""; it comes to the front."""
        self._state = state
        self._panes = panes
        self._scrolls: Scrolls = {}
        self._to_scroll: Scrolls = {}
        """Where panes are to be scrolled to that were not shown so far."""
        self._taken = False

    def take(self) -> None:
        """Take up what was kept, once; the sessions are known."""
        if self.keeper is not None and not self._taken:
            kept = self.keeper.take()
            self._to_scroll = dict(kept.scrolls)
            restore(self._state, kept)
            self._state.focus(self.asked)
        self._taken = True

    def scroll(self) -> None:
        """Scroll the panes to where they were, once they are there."""
        for pane in self._panes() if self._to_scroll else ():
            if (there := self._to_scroll.pop(pane.session_id, None)) is not None:
                pane.show_from(*there)

    def keep(self) -> None:
        """Write down what is in front of the user, if that has changed."""
        if self.keeper is None or not self._taken:
            return
        self.scroll()
        for pane in self._panes():
            line = pane.viewport.line
            self._scrolls.pop(pane.session_id, None)
            if line is not None:
                self._scrolls[pane.session_id] = line, pane.viewport.left_tail_at
        scrolls = self._to_scroll | self._scrolls
        here = {at: line for at, line in scrolls.items() if at in self._state.sessions}
        self.keeper.keep(kept_of(self._state, here))

    def leave(self) -> None:
        """Write it down a last time, and leave it to the next front end."""
        if self.keeper is not None:
            self.keep()
            self.keeper.release()
