"""Toasts where they hide nothing that is needed, sentences that the bottom bar shows, and the calls of sessions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from math import inf
from typing import Any, Final, Literal

from textual.app import App
from textual.content import Content
from textual.notifications import Notification
from textual.timer import Timer
from textual.widget import Widget

from nagomi_tui.alerts import outer_terminal
from nagomi_tui.api.messages import Agent, Called, Looking, Message
from nagomi_tui.sessions.session import RESIDENT_AGENT, Condition
from nagomi_tui.sessions.standing import needs_user
from nagomi_tui.text.cells import cells, printable
from nagomi_tui.text.layout import HIGHEST, WIDEST, Box, Corner, free_corner, room
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.common.timers import Timers
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.framed import Framed
from nagomi_tui.view.screens.main_screen import MainScreen
from nagomi_tui.view.screens.session_list import SessionList
from nagomi_tui.view.screens.state import SAYS_SECONDS, AppState, ViewName
from nagomi_tui.view.screens.zoom_view import ZoomView

_EDGES: Final = 3
"""Columns of a toast's edge and padding."""
_PADDING: Final = 3
"""Rows above and below a toast's text, with the one between two toasts."""
_HELD_AT_MOST: Final = 20
_QUESTION_ROWS: Final = 16
"""Most lines of a question, with what it is about."""


class Toasts:
    """Shows toasts where they hide neither what is typed into nor what calls, and no dialog or question at all.

    One for which an open dialog or a question leaves no room is held until that is closed or answered.
    """

    def __init__(self, app: App[Any], where: AppState, main: Callable[[], MainScreen]) -> None:
        self._app = app
        self._where = where
        self._main = main
        self._held: list[Notification] = []

    def show(self, toast: Notification) -> bool:
        """Show a toast, or hold it; the same text is held once.

        Return False if it is held with no dialog open, so that one does not know when it is shown.
        """
        same = toast.title, toast.message
        others = [one for one in self._held if (one.title, one.message) != same]
        self._held = [*others, toast][-_HELD_AT_MOST:]
        self.place()
        return self._main().has_dialog or not any(one is toast for one in self._held)

    def drop(self, toast: Notification) -> None:
        """Take a toast away before its time, shown or held."""
        self._held = [one for one in self._held if one is not toast]
        textual_private.drop_toast(self._app, toast)

    def place(self) -> None:
        """Choose the corner, hold what would lie over a dialog, and show what was held."""
        if not self._app.is_running:
            return
        left = self._room() if self._where.welcomed else inf
        for toast in textual_private.toasts(self._app):
            left -= self._rows(toast)
            if left < 0:
                textual_private.drop_toast(self._app, toast)
                self._held.append(toast)
        while self._held and self._rows(self._held[0]) <= left:
            toast = self._held.pop(0)
            left -= self._rows(toast)
            textual_private.show_toast(self._app, toast)

    def _room(self) -> float:
        """Put the toasts into the corner where they hide least; return the rows that they have there."""
        dialogs = self._dialogs()
        corner = self._corner(dialogs)
        top = 1 if self._main().has_dialog else self._below_list()
        # Of the notices alone: a class of the screen has Textual style every widget anew.
        for rack in self._app.screen.query("ToastRack"):
            rack.set_class(corner.top, "-top").set_class(corner.left, "-left")
            rack.styles.margin = (top, 0, 0, 0) if corner.top else (0, 0, 1, 0)
        return room(corner, *self._app.size, dialogs, top=top) if dialogs else inf

    def _below_list(self) -> int:
        """Return the first row that no session's line is in: who calls stands in the first lines."""
        listing = self._main().screen.query_one_optional(SessionList)
        return 1 if listing is None else max(1, listing.region.bottom)

    def _rows(self, toast: Notification) -> int:
        text = f"{toast.title}\n{toast.message}" if toast.title else toast.message
        width = min(WIDEST, self._app.size.width // 2 - 1) - _EDGES
        return Content(text).get_height({}, max(1, width)) + _PADDING

    def _dialogs(self) -> list[Box]:
        """Return what no toast may lie over; a dialog without a place yet may be anywhere."""
        whole = Box(0, 0, *self._app.size)
        main = self._main()
        over = [screen.query_one_optional(".box") for screen in self._app.screen_stack[1:]]
        found = [_box_of(one) or whole if one else whole for one in over]
        beside: list[Widget] = [main.judge_pane] if main.judge_pane.has_keys else []
        beside += [main.menu] if main.menu.display else []
        found += [box for one in beside if (box := _box_of(one))]
        return found if main.has_dialog else found + self._questions()

    def _questions(self) -> list[Box]:
        """Return the last lines of the sessions in sight that ask their user something."""
        boxes = []
        for pane in self._main().panes():
            session = self._where.sessions.get(pane.session_id)
            at = textual_private.placed(pane)
            if session is None or session.condition is not Condition.ATTENTION or not at.area:
                continue
            texts = [row.row.text.rstrip() for row in pane.buffer.rows[: at.height]]
            filled = [y for y, text in enumerate(texts) if text][-_QUESTION_ROWS:]
            boxes += [Box(at.x, at.y + y, min(at.width, cells(texts[y])), 1) for y in filled]
        return boxes

    def _corner(self, dialogs: list[Box]) -> Corner:
        """Return the corner in which a toast hides least."""
        cols, rows = self._app.size
        main = self._main()
        pane = main.pane_in_front()
        if main.has_dialog:
            typed = []
        elif main.textual_has_keys():
            # The prompt grows to a third of the height.
            typed = [Box(0, rows * 2 // 3, cols, rows)]
        elif pane is not None:
            typed = [_typed_into(pane, below=rows - 1 - HIGHEST)]
        else:
            typed = []
        calling = [
            Box(*one.region)
            for one in main.stage.walk_children(Framed)
            if one.display and one.session.waits and one.session.session_id != self._where.focused
        ]
        if (box := _box_of(main.judge_pane)) is not None:
            calling.append(box)
        return free_corner(cols, rows, typed, calling, dialogs)


def _typed_into(pane: TerminalPane, *, below: int) -> Box:
    """Return where a program is typed into: all its lines if a notice fits `below` them.

    Else it is the lower part, where most are typed into.
    """
    x, y, cols, rows = pane.region
    written = [at for at, one in enumerate(pane.buffer.rows[:rows]) if one.row.text.strip()]
    end = written[-1] + 1 if written else 0
    if end and y + end <= below:
        return Box(x, y, cols, end)
    return Box(x, y + rows // 3, cols, rows - rows // 3)


def _box_of(widget: Widget) -> Box | None:
    """Return where a widget is; None while it has no place."""
    region = textual_private.placed(widget)
    return Box(*region) if region.area else None


MESSAGE_SECONDS: Final = 3.0
"""Seconds for which a sentence stays in the bar; a long one stays until it can have been read."""
_CELLS_A_SECOND: Final = 20
_OVER_SECONDS: Final = 10.0
"""Seconds for which one stays that is shown as a toast."""
_BAR_EDGES: Final = 6


class StatusMessages:
    """Shows one sentence at a time in a bar, or as a toast if both bars are hidden.

    Errors are never lost: one that the bar cuts, or the next sentence replaces, becomes a toast.
    All can be read again.
    """

    def __init__(
        self, app: App[Any], main: MainScreen, bar: AppState, timers: Timers, toasts: Toasts
    ) -> None:
        self._app = app
        self._main = main
        self._bar = bar
        self._timers = timers
        self._toasts = toasts
        self._timer: Timer | None = None
        self._pointed = ""
        self._over: Notification | None = None
        """The toast that was shown last."""
        self._said_at = 0.0
        """When the agent said what was shown last, in seconds since the epoch."""

    def tell(self, text: str, *, error: bool = False, session: str = "") -> None:
        """Show a sentence in place of the one before; `session` is the id of the one it is about."""
        bar = self._bar
        bar.note(text, session)
        unread = bar.message if error and bar.message_is_error and bar.message != text else ""
        if unread:
            self._show_over(unread, error=True)
        if (bar.zoomed and bar.bare) or (error and cells(text) > self._app.size.width - _BAR_EDGES):
            self._show_over(text, error=error)
        self.show_in_bar(text, error=error)

    def show_in_bar(self, text: str, *, error: bool = False) -> None:
        """Show a sentence in the bar alone, which nobody needs to read again."""
        self._bar.message, self._bar.message_is_error = text, error
        if self._timer is not None:
            self._timer.stop()
        seconds = max(MESSAGE_SECONDS, cells(text) / _CELLS_A_SECOND)
        self._timer = self._timers.after(seconds, self._forget)
        self._show()

    def _show_over(self, text: str, *, error: bool) -> None:
        severity: Literal["error", "information"] = "error" if error else "information"
        self._over = Notification(text, severity=severity, timeout=_OVER_SECONDS)
        self._toasts.show(self._over)

    def take_back(self, text: str) -> None:
        """Show a sentence no longer, since what it tells of is settled."""
        if self._over is not None and self._over.message == text:
            self._toasts.drop(self._over)
        if text and self._bar.message == text:
            self._forget()

    def point(self, target: str) -> None:
        """Show where the link under the mouse leads, or no longer if ""; an error stays."""
        bar = self._bar
        if bar.message and bar.message_is_error:
            return
        if not (bar.zoomed and bar.bare) and target:
            self._pointed = tr("Ctrl+click opens {target}", target=printable(target))
            self.show_in_bar(self._pointed)
        elif bar.message and bar.message == self._pointed:
            self._forget()

    def _forget(self) -> None:
        self._bar.message = ""
        self._show()

    def _show(self) -> None:
        self._main.bottom_bar.show()
        for zoom in self._main.screen.query(ZoomView):
            zoom.show()

    def agent_heard(self, agent: Agent) -> None:
        """The resident agent stands in another way, or has said something that no balloon shows."""
        self._main.bottom_bar.show()
        self._main.show_faces()
        if agent.said_at != self._said_at:
            self._said_at = agent.said_at
            says = self._bar.agent_says(time.time())
            if says and self._bar.view is not ViewName.CHAT:
                self.tell(printable(says))
            self._timers.after(SAYS_SECONDS, self._main.show_faces)


SECONDS: Final = 8.0
"""Seconds for which a call's toast is shown."""
_WAITS: Final = 4
"""The state of OSC 9;4 for "paused", which terminals show without alarm."""


@dataclass(eq=False)
class Calls:
    """Shows the orchestrator's calls, and tells the orchestrator which session the user looks at."""

    send: Callable[[Message], None]
    callers: AppState
    env: Mapping[str, str]
    _: KW_ONLY
    to_terminal: Callable[[str], bool]
    farewell: Callable[[str], object]
    toasts: Toasts
    go_to: Callable[[str], object]
    show_in_bar: Callable[[str], object]

    def __post_init__(self) -> None:
        self._shown: Notification | None = None
        self._called: tuple[str, ...] = ()
        """Ids of the sessions that called last, the newest at the end; kept after the toast has gone."""
        self._terminal = outer_terminal.outer(self.env)
        self._focused = True
        self._focus_told = False
        self._looking: Looking | None = None
        self._title = ""
        self._progress = 0

    # --- a call

    def called(self, call: Called) -> None:
        """Show a call in the ways that it asks for."""
        text = f"{printable(call.title)}: {printable(call.body)}"
        self.callers.note(text, call.sessions[-1])
        if call.inside and not self._show_toast(call):
            self.show_in_bar(text)
        setting = self.callers.settings.notify_terminal
        way = outer_terminal.way_of(self._terminal, setting)
        if call.notice:
            self.to_terminal(
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
        known = [one for one in self._called if one in self.callers.sessions]
        if known:
            self.go_to(known[-1])
        return bool(known)

    # --- what the terminal tells

    def told(self, kind: str, text: str) -> None:
        """Handle what the terminal tells: its focus, its name, or a click on a notice."""
        if kind == "focus":
            self._focused, self._focus_told = bool(text), True
            self.look()
        elif kind == "version":
            self._terminal = outer_terminal.outer(self.env, text)
            self.show()
        elif kind == "clicked":
            self.go_to(text)

    # --- what the orchestrator and the terminal are told

    def start_over(self) -> None:
        """Tell everything again, since the connection is new or the terminal was given back to us."""
        self._looking = None
        self._title, self._progress = "", 0
        self.show()

    def look(self) -> None:
        """Tell the orchestrator which session the user looks at."""
        session = self.callers.focused if self._focused else ""
        looking = Looking(session=session, told=self._focus_told)
        if looking != self._looking:
            self._looking = looking
            self.send(looking)
            self._seen(session)

    def show(self) -> None:
        """Keep the terminal's title and progress up to date."""
        self.look()
        settings = self.callers.settings
        waiting = sum(needs_user(session) for session in self.callers.waiting)
        unseen = len(self.callers.waiting) - waiting
        count = f"({waiting}) " if waiting else f"(✓{unseen}) " if unseen else ""
        title = settings.terminal_title.replace("{waiting}", count)
        if self._terminal.titles and title != self._title:
            self._title = title
            self.to_terminal(outer_terminal.titled(title))
        wants = waiting if settings.terminal_progress else 0
        if wants != self._progress:
            self._progress = wants
            share = round(100 * waiting / max(1, len(self.callers.sessions)))
            state, percent = (_WAITS, share) if wants else (0, 0)
            self.to_terminal(outer_terminal.progress(self._terminal, state=state, percent=percent))
        self.farewell(self._undoing())

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
        self._shown = Notification("\n".join(lines), printable(call.title), timeout=SECONDS)
        return self.toasts.show(self._shown)

    def _close(self) -> None:
        if self._shown is not None:
            self.toasts.drop(self._shown)
            self._shown = None

    def _seen(self, session: str) -> None:
        """Remove the toast if it is of this session alone, which the user looks at now."""
        if session in self._called:
            self._called = tuple(one for one in self._called if one != session)
            if not self._called:
                self._close()
