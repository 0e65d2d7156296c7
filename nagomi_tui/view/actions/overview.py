"""Actions on the overview: list or tiles, marks, and what is done with all that has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from nagomi_tui.api.messages import Remove, Restart
from nagomi_tui.core.session.listing import is_over
from nagomi_tui.core.session.session import has_ended
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.screens.state import ViewName

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import ModalScreen

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.screens.overview import Overview


class Room(Protocol):
    """The main screen, as far as the overview's actions need it."""

    def show(self) -> None:
        """Bring the whole screen up to date."""

    def open(self, dialog: ModalScreen[Any], then: Callable[[Any], None] | None = None) -> None:
        """Open a dialog."""


class Listed(Protocol):
    """What is shown, the sessions in it, and which of them has the focus."""

    view: ViewName
    zoomed: bool
    focused: str
    overview: Overview

    @property
    def ordered(self) -> list[Session]:
        """Sessions by their place."""


class OverviewHandlers:
    """Changes how sessions are listed, and acts on all of those that have ended."""

    def __init__(
        self,
        main: Room,
        state: Listed,
        asking: Asking,
        *,
        go_down: Callable[[], object],
        tell: Callable[[str], object],
    ) -> None:
        """`go_down` goes to the next line of the list."""
        self._main = main
        self._state = state
        self._asking = asking
        self._go_down = go_down
        self._tell = tell

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {"list": self.switch, "mark": self.mark, "ended": self.ended}

    def switch(self) -> None:
        """Switch between list and tiles, and to the overview from elsewhere."""
        state = self._state
        if state.view is ViewName.RUN and not state.zoomed:
            state.overview.switch()
        state.view, state.zoomed = ViewName.RUN, False
        self._main.show()

    def mark(self) -> None:
        """Mark the session in front, and go to the next line."""
        if not self._state.overview.listed or self._state.view is not ViewName.RUN:
            self._tell(tr("Sessions are marked in the list."))
            return
        self._state.overview.mark(self._state.focused)
        self._go_down()
        self._main.show()

    def ended(self) -> None:
        """Ask what to do with the sessions that have ended: those whose end was seen, if there are any."""
        from nagomi_tui.view.dialogs.ended import Ended

        gone = [session for session in self._state.ordered if has_ended(session)]
        gone = [session for session in gone if is_over(session)] or gone
        if not gone:
            self._tell(tr("No session has ended."))
            return
        dialog = Ended(gone, unfolded=self._state.overview.unfolded)
        self._main.open(dialog, lambda wish: self._chosen(wish, gone))

    def _chosen(self, wish: str | None, gone: list[Session]) -> None:
        if wish == "fold":
            self._state.overview.unfolded = not self._state.overview.unfolded
            self._main.show()
        elif wish == "restart":
            for session in gone:
                if not session.cmd_masked:
                    self._asking.ask(Restart(id=0, session=session.session_id))
        elif wish == "remove":
            self._asking.confirm(
                tr("Remove them?"),
                tr_count(
                    "{count} ended session leaves the list, and its lines with it.",
                    "{count} ended sessions leave the list, and their lines with them.",
                    len(gone),
                ),
                tr("Remove them"),
                lambda: self._remove(gone),
            )

    def _remove(self, gone: list[Session]) -> None:
        for session in gone:
            self._asking.ask(Remove(id=0, session=session.session_id))
