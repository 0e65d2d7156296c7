"""What follows from the orchestrator's welcome: the settings, and on the first one the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nagomi_tui import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App
    from textual.widget import AwaitMount

    from nagomi_tui.api.messages import Welcome
    from nagomi_tui.view.app.first_paint import FirstPaint
    from nagomi_tui.view.app.first_sentences import FirstSentences
    from nagomi_tui.view.app.memory import Memory
    from nagomi_tui.view.screens.main_screen import MainScreen


class Arrival:
    """Shows the screen for the first time, and has told what there is to be told then."""

    def __init__(
        self,
        app: App[Any],
        main: MainScreen,
        adopt: Callable[[], AwaitMount],
        *,
        memory: Memory,
        first_paint: FirstPaint,
        sentences: FirstSentences,
    ) -> None:
        """`adopt` follows the settings, and returns what waits until the view is made."""
        self._memory = memory
        self._app = app
        self._main = main
        self._adopt = adopt
        self._first_paint = first_paint
        self._sentences = sentences
        self._arrived = False
        self.arrived: Callable[[], object] = lambda: None
        """Called when the keys are with the session in front."""

    def welcomed(self, message: Welcome) -> None:
        """Take the settings; the first time, show everything and say what is new or wrong."""
        first, self._arrived = not self._arrived, True
        self._main.bottom_bar.skewed = message.version != __version__
        if first:
            self._memory.take()
        mounted = self._adopt()
        if first:
            self._app.call_later(self._first_paint.release_after, mounted)
            self._app.call_later(self._memory.scroll)
            self._app.call_later(self.arrived)
            self._sentences.tell(message.digest)
