"""Shows the calls of sessions: toasts, marks, and notices of the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.notifications import Notification

from nagomi_tui.alerts import outer_terminal
from nagomi_tui.api.messages import Looking
from nagomi_tui.sessions.session import RESIDENT_AGENT
from nagomi_tui.sessions.standing import needs_user
from nagomi_tui.text.cells import printable
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.bindings import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.widget import Widget

    from nagomi_tui.api.messages import Called, Message
    from nagomi_tui.view.notices.toasts import Toasts
    from nagomi_tui.view.screens.state import AppState

SECONDS: Final = 8.0
"""Seconds for which a call's toast is shown."""
_WAITS: Final = 4
"""The state of OSC 9;4 for "paused", which terminals show without alarm."""


class Calls:
    """Shows the orchestrator's calls, and tells the orchestrator which session the user looks at."""

    def __init__(
        self,
        send: Callable[[Message], None],
        callers: AppState,
        env: Mapping[str, str],
        *,
        to_terminal: Callable[[str], bool],
        farewell: Callable[[str], object],
        toasts: Toasts,
        go_to: Callable[[str], object],
        show_in_bar: Callable[[str], object],
    ) -> None:
        self._send = send
        self._callers = callers
        self._env = env
        self._to_terminal = to_terminal
        self._farewell = farewell
        self._toasts = toasts
        self._shown: Notification | None = None
        self._called: tuple[str, ...] = ()
        """Ids of the sessions that called last, the newest at the end; kept after the toast has gone."""
        self._go_to = go_to
        self._show_in_bar = show_in_bar
        self._terminal = outer_terminal.outer(env)
        self._focused = True
        self._focus_told = False
        self._looking: Looking | None = None
        self._title = ""
        self._progress = 0

    # --- a call

    def called(self, call: Called) -> None:
        """Show a call in the ways that it asks for."""
        text = f"{printable(call.title)}: {printable(call.body)}"
        self._callers.note(text, call.sessions[-1])
        if call.inside and not self._show_toast(call):
            self._show_in_bar(text)
        setting = self._callers.settings.notify_terminal
        way = outer_terminal.way_of(self._terminal, setting)
        if call.notice:
            self._to_terminal(
                outer_terminal.notice(
                    self._terminal,
                    way,
                    title=call.title,
                    body=call.body,
                    session=call.sessions[-1],
                    hushed=call.hushed,
                )
            )

    def is_toast(self, widget: Widget | None) -> bool:
        """Tell whether a widget is the toast of a call."""
        return self._shown is not None and textual_private.toast_of(widget) is self._shown

    def go(self) -> bool:
        """Go to the session that called last; return False if none has called since."""
        known = [one for one in self._called if one in self._callers.sessions]
        if known:
            self._go_to(known[-1])
        return bool(known)

    # --- what the terminal tells

    def told(self, kind: str, text: str) -> None:
        """Handle what the terminal tells: its focus, its name, or a click on a notice."""
        if kind == "focus":
            self._focused, self._focus_told = bool(text), True
            self.look()
        elif kind == "version":
            self._terminal = outer_terminal.outer(self._env, text)
            self.show()
        elif kind == "clicked":
            self._go_to(text)

    # --- what the orchestrator and the terminal are told

    def start_over(self) -> None:
        """Tell everything again, since the connection is new or the terminal was given back to us."""
        self._looking = None
        self._title, self._progress = "", 0
        self.show()

    def look(self) -> None:
        """Tell the orchestrator which session the user looks at."""
        session = self._callers.focused if self._focused else ""
        looking = Looking(session=session, told=self._focus_told)
        if looking != self._looking:
            self._looking = looking
            self._send(looking)
            self._seen(session)

    def show(self) -> None:
        """Keep the terminal's title and progress up to date."""
        self.look()
        settings = self._callers.settings
        waiting = sum(needs_user(session) for session in self._callers.waiting)
        unseen = len(self._callers.waiting) - waiting
        count = f"({waiting}) " if waiting else f"(✓{unseen}) " if unseen else ""
        title = settings.terminal_title.replace("{waiting}", count)
        if self._terminal.titles and title != self._title:
            self._title = title
            self._to_terminal(outer_terminal.titled(title))
        wants = waiting if settings.terminal_progress else 0
        if wants != self._progress:
            self._progress = wants
            share = round(100 * waiting / max(1, len(self._callers.sessions)))
            state, percent = (_WAITS, share) if wants else (0, 0)
            self._to_terminal(outer_terminal.progress(self._terminal, state=state, percent=percent))
        self._farewell(self._undoing())

    def _undoing(self) -> str:
        """Return what takes back all that the terminal shows of us; its title comes back itself."""
        # screen keeps no stack of titles.
        titled = self._title and self._terminal.between == "screen"
        return (outer_terminal.titled("") if titled else "") + (
            outer_terminal.progress(self._terminal, state=0) if self._progress else ""
        )

    # --- the one toast: calls that come meanwhile are gathered in it (N-48)

    def _show_toast(self, call: Called) -> bool:
        """Show a call in place of the one before; return False if there is no room for it now."""
        self._close()
        self._called = tuple(one for one in call.sessions if one != RESIDENT_AGENT)
        lines = [printable(call.body)]
        if self._called:
            lines.append(tr("{key} or a click goes there", key=hint("called")))
        self._shown = Notification(
            "\n".join(lines), printable(call.title), timeout=SECONDS, markup=False
        )
        return self._toasts.show(self._shown)

    def _close(self) -> None:
        """Remove the toast."""
        if self._shown is not None:
            self._toasts.drop(self._shown)
            self._shown = None

    def _seen(self, session: str) -> None:
        """Remove the toast if it is of this session alone, which the user looks at now."""
        if session in self._called:
            self._called = tuple(one for one in self._called if one != session)
            if not self._called:
                self._close()
