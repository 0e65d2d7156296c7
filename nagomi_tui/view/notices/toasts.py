"""Where toasts appear, and which of them wait until there is a place for them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.cells import cells
from nagomi_tui.text.layout import WIDEST, Box, free_corner, room
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.screens.framed import Framed
from nagomi_tui.view.screens.session_list import SessionList
from nagomi_tui.view.screens.state import ViewName

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.notifications import Notification
    from textual.widget import Widget

    from nagomi_tui.text.layout import Corner
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState

_EDGES: Final = 3
"""Columns of a toast's edge and padding."""
_PADDING: Final = 3
"""Rows above and below a toast's text, with the one between two toasts."""
_HELD_AT_MOST: Final = 20
_QUESTION_ROWS: Final = 16
"""So many lines of text at most are a question, with what it is about."""


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
        same = [
            one for one in self._held if (one.title, one.message) == (toast.title, toast.message)
        ]
        for one in same:
            self._held.remove(one)
        self._held = [*self._held, toast][-_HELD_AT_MOST:]
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
        elif self._where.view is ViewName.CHAT and not self._where.zoomed:
            # The prompt grows to a third of the height.
            typed = [Box(0, rows * 2 // 3, cols, rows)]
        elif pane is not None:
            # Mostly a program is typed into at its lower end.
            typed = [Box(*pane.region.split_horizontal(pane.region.height // 3)[1])]
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


def _box_of(widget: Widget) -> Box | None:
    """Return where a widget is; None while it has no place."""
    region = textual_private.placed(widget)
    return Box(*region) if region.area else None
