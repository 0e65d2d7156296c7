"""One session on the whole screen, under a thin line that can be hidden."""

from __future__ import annotations

import time
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from nagomi_tui.sessions.session import Session, has_ended
from nagomi_tui.sessions.standing import badge_words
from nagomi_tui.text.cells import cells, clock, cut_middle, printable
from nagomi_tui.view.common.badge import ending, hooks_offer
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.common.widgets import Chip
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.bars import waiting_words
from nagomi_tui.view.screens.framed import scrolled
from nagomi_tui.view.screens.state import AppState, elapsed

_NAME_AT_LEAST: Final = 12


class ZoomView(Container):
    """The focused session alone; its PTY takes the size of the screen."""

    DEFAULT_CSS = """
    ZoomView { width: 1fr; height: 1fr; layout: vertical; layers: base over; }
    ZoomView > Chip {
        layer: over; dock: right; display: none; background: $panel; color: $accent;
        &.-open { display: block; }
    }
    ZoomView > .thin {
        height: 1; padding: 0 1; background: $surface; color: $muted;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    ZoomView.-bare > .thin { display: none; }
    """

    def __init__(self, link: Link, state: AppState) -> None:
        super().__init__()
        self._state = state
        self.pane = TerminalPane(link, state.focused, own_size=True, fps=30)
        self.pane.takes_words = True
        self._thin = Static(classes="thin")
        self._tail = Chip("tail")

    def compose(self) -> ComposeResult:
        yield self._thin
        yield self.pane
        yield self._tail

    def on_mount(self) -> None:
        self.show()

    def show(self) -> None:
        """Show the focused session as it is now."""
        session = self._state.current
        if session is None:
            return
        self.pane.session_id = session.session_id
        # An ended session has no program that could miss the line.
        self.set_class(self._state.bare and not has_ended(session), "-bare")
        # It may be asked for while it is being mounted, or removed: its parts are not looked for.
        number, rest = f"{session.number} ", self._rest(session)
        left = self.size.width - 2 - len(number) - rest.cell_length
        if self._state.offered and not self._state.message:
            offer = f"   {hooks_offer(self._state.offered)} {hint('hooks')}"
            if left - cells(offer) >= cells(session.name):
                rest, left = Content.assemble(rest, (offer, "$accent")), left - cells(offer)
        name = cut_middle(printable(session.name), max(_NAME_AT_LEAST, left))
        self._thin.update(Content.assemble(number, (name, "$foreground"), rest))

    def on_resize(self) -> None:
        """Show as much of the name as there is room for now."""
        self.show()

    def on_terminal_pane_scrolled(self) -> None:
        """Show the way to the end while the pane does not follow it."""
        words = scrolled(self.pane, key=hint("tail"), width=max(1, self.size.width - 2))
        self._tail.set_class(bool(words), "-open")
        self._tail.update(words)

    def tick(self) -> None:
        self.show()

    def _rest(self, session: Session) -> Content:
        if self._state.message:
            return Content.assemble("  ", (self._state.message, "$primary bold"))
        look = session.condition
        badge = f"  {look.shape} {badge_words(session, tr)}"
        since = f"  {clock(elapsed(session, time.time()))}"
        ended = f"  {told}" if (told := ending(session)) else ""
        waits = waiting_words([one for one in self._state.waiting if one is not session])
        back = f"  {tr('{key} back', key=hint('zoom'))}"
        name = min(cells(session.name), _NAME_AT_LEAST)
        if cells(f"{badge}{since}{ended}  {waits}{back}") + name > self.size.width - 5:
            since = ""  # rather than the way back
        return Content.assemble(
            (badge, f"${look.color}"), since, (ended, "$foreground"), "  ", (waits, "$accent"), back
        )  # fmt: skip
