"""Opens the menu of the keys after the leader for those who wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.view.keymap.menu import SHOW_AFTER

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.common.timers import Timer, Timers
    from nagomi_tui.view.keymap.menu import LeaderMenu


class LeaderMenuDelay:
    """Opens the menu 0.35 s after the leader, and closes it with the key that follows."""

    def __init__(
        self, menu: Callable[[], LeaderMenu], timers: Timers, try_leader: Callable[[], bool]
    ) -> None:
        """`try_leader` tells a dialog of the leader; false where none wants to know."""
        self._menu = menu
        self._timers = timers
        self._try_leader = try_leader
        self._timer: Timer | None = None

    def pending(self, pending: bool) -> None:
        """The leader was pressed, or its command is complete and nothing is `pending`."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        menu = self._menu()
        if pending and self._try_leader():
            return
        if pending:
            self._timer = self._timers.after(SHOW_AFTER, menu.open)
        else:
            menu.close()
