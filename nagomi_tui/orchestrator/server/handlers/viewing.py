"""Messages on what a front end shows, and what its user looks at; none of them is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.server.handlers.table import UnansweredHandlers
    from nagomi_tui.orchestrator.sessions.roles import Managed
    from nagomi_tui.orchestrator.views.showing import Showing


class ViewingMessages:
    """Opens and closes views, and notes which session has the keys and the user's eye."""

    def __init__(
        self,
        find: Callable[[str], Managed | None],
        showing: Showing,
        recall: Callable[[Managed], None],
        looked_at: Callable[[str], object],
        recolor: Callable[[int, int], None],
    ) -> None:
        """`find` returns a session by its id; `looked_at` hears the id of what the user looks at.

        `recall` shows the last lines of a session of which nothing else is left; `recolor` tells
        all sessions what the terminal's colours are.
        """
        self._find = find
        self._showing = showing
        self._recall = recall
        self._looked_at = looked_at
        self._recolor = recolor

    def focus(self, client: Client, message: messages.Focus) -> None:
        """Give the client's keys to a session, or to none."""
        self._showing.focus(client, self._find(message.session))

    def view(self, client: Client, message: messages.View) -> None:
        """Show a session."""
        if session := self._find(message.session):
            self._showing.view(client, session, message)
            self._recall(session)

    def unview(self, client: Client, message: messages.Unview) -> None:
        """End a view."""
        self._showing.unview(client, message.view)

    def taken(self, client: Client, message: messages.Taken) -> None:
        """A frame was shown."""
        self._showing.taken(client, message)

    def seen(self, client: Client, message: messages.Seen) -> None:
        """The user has looked at a session."""
        if session := self._find(message.session):
            self._showing.seen(session)

    def looking(self, client: Client, message: messages.Looking) -> None:
        """The user looks at a session, which is seen by that, or away."""
        client.looking, client.looking_told = message.session, message.told
        if session := self._find(message.session):
            self._showing.seen(session)
        self._looked_at(message.session)

    def colors(self, client: Client, message: messages.Colors) -> None:
        """The terminal has other colours, by day and night for one."""
        self._recolor(message.foreground, message.background)

    HANDLERS: ClassVar[UnansweredHandlers] = {
        messages.Focus: focus,
        messages.View: view,
        messages.Unview: unview,
        messages.Taken: taken,
        messages.Seen: seen,
        messages.Looking: looking,
        messages.Colors: colors,
    }
