"""What follows from the orchestrator's welcome: the settings, and on the first one the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui import __version__
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.notices.digest import agent_lines, digest_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

    from nagomi_tui.api.messages import Welcome
    from nagomi_tui.view.app.first_paint import FirstPaint
    from nagomi_tui.view.character.library import Library
    from nagomi_tui.view.common.timers import Timers
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.settings.preferences import Preferences

_DIGEST_SECONDS: Final = 30.0
"""Seconds for which the agent's digest is shown."""
_PACKS_AFTER: Final = 1.0
"""Seconds until all characters are read, which nobody waits for."""


class Arrival:
    """Shows the screen for the first time, and tells what there is to be told then."""

    def __init__(
        self,
        app: App[Any],
        main: MainScreen,
        timers: Timers,
        *,
        first_paint: FirstPaint,
        preferences: Preferences,
        library: Library,
        problems: tuple[str, ...],
        tell: Callable[..., object],
        ask_newcomer: Callable[[], object] | None,
    ) -> None:
        self._app = app
        self._main = main
        self._timers = timers
        self._first_paint = first_paint
        self._preferences = preferences
        self._library = library
        self._problems = problems
        self._tell = tell
        self._ask_newcomer = ask_newcomer
        """Opens the welcome, or None for a user who was here before."""
        self._arrived = False

    def welcomed(self, message: Welcome) -> None:
        """Take the settings; the first time, show everything and say what is new or wrong."""
        first, self._arrived = not self._arrived, True
        self._main.bottom_bar.skewed = message.version != __version__
        mounted = self._preferences.adopt()
        if first:
            self._app.call_later(self._first_paint.release_after, mounted)
            self._begin(message)

    def _begin(self, message: Welcome) -> None:
        for problem in self._problems:
            self._tell(problem, error=True)
        if line := digest_line(message.digest):
            self._tell(line)
        if lines := agent_lines(message.digest):
            title = tr("While you were away")
            self._app.notify(lines, title=title, timeout=_DIGEST_SECONDS, markup=False)
        self._timers.after(_PACKS_AFTER, self._name_broken_packs)
        if self._ask_newcomer is not None:
            self._ask_newcomer()

    def _name_broken_packs(self) -> None:
        """Read all characters now that the screen is there, and name those that are broken."""
        for problem in self._library.problems():
            self._tell(problem, error=True)
