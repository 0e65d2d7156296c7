"""The toast of a call: a click or a key goes to its session, and a newer call replaces it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.notifications import Notification

from nagomi_tui.core.session.session import AGENT
from nagomi_tui.core.text.text import printable
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.hint import hint

if TYPE_CHECKING:
    from textual.widget import Widget

    from nagomi_tui.api.messages import Called
    from nagomi_tui.view.notices.toasts import Toasts

SECONDS: Final = 8.0


class CallToast:
    """Shows at most one toast: calls that come meanwhile are gathered in it (N-48)."""

    def __init__(self, toasts: Toasts) -> None:
        self._toasts = toasts
        self._shown: Notification | None = None
        self.sessions: tuple[str, ...] = ()
        """Ids of the sessions that called last, the newest at the end; kept after the toast has gone."""

    def show(self, call: Called) -> None:
        """Show a call in place of the one before."""
        self.close()
        self.sessions = tuple(one for one in call.sessions if one != AGENT)
        lines = [printable(call.body)]
        if self.sessions:
            lines.append(tr("{key} or a click goes there", key=hint("called")))
        self._shown = Notification(
            "\n".join(lines), printable(call.title), timeout=SECONDS, markup=False
        )
        self._toasts.show(self._shown)

    def close(self) -> None:
        """Remove the toast."""
        if self._shown is not None:
            self._toasts.drop(self._shown)
            self._shown = None

    def seen(self, session: str) -> None:
        """Remove the toast if it is of this session alone, which the user looks at now."""
        if session in self.sessions:
            self.sessions = tuple(one for one in self.sessions if one != session)
            if not self.sessions:
                self.close()

    def is_it(self, widget: Widget | None) -> bool:
        """Tell whether a widget is this toast."""
        return self._shown is not None and textual_private.toast_of(widget) is self._shown
