"""Carries out the orchestrator's messages in the front end, and draws what they change."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Event, Speaking
    from nagomi_tui.view.common.timers import Timers
    from nagomi_tui.view.notices import Calls
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState


class OrchestratorMessages:
    """Acts on messages that change neither the list of sessions nor the settings."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        calls: Calls,
        *,
        copy: Callable[[str], object],
        bell: Callable[[], object],
        tell: Callable[..., object],
    ) -> None:
        self._main = main
        self._state = state
        self._calls = calls
        self._copy = copy
        """Puts a text into the user's clipboard."""
        self._bell = bell
        """Rings the user's terminal."""
        self._tell = tell
        """Shows the user a sentence."""

    def connected(self, connected: bool) -> None:
        """The connection came or went; it comes back by itself."""
        if connected:
            self._calls.start_over()
        self._main.bottom_bar.connected = connected
        self._main.bottom_bar.show()

    def keys_dropped(self, count: int) -> None:
        """Say that what was typed meanwhile did not arrive."""
        sentence = tr("{count} keys typed meanwhile were not sent.", count=count)
        self._tell(sentence, error=True)

    def session_event(self, event: Event) -> None:
        """A program has rung the bell, or wants something copied."""
        if event.kind == "clipboard":
            # A program that nobody looks at must not change what the user has copied.
            if event.session == self._state.focused:
                self._copy(event.text)
        elif event.kind == "bell":
            self._bell()

    def speaking(self, speaking: Speaking) -> None:
        """A character speaks, or has ended: its mouth moves meanwhile."""
        until = time.monotonic() + speaking.seconds if speaking.on else 0.0
        self._state.faces.speak(speaking.session, until)
        self._main.show_faces()


_REST: Final = 3.0
"""Pause after a redraw, as a multiple of the time that it took."""


class Redraw:
    """Calls `show` at once, or after the pause: then once for all changes until then."""

    def __init__(
        self,
        timers: Timers,
        show: Callable[[], object],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._timers = timers
        self._show = show
        self._clock = clock
        self._planned = False
        self._rests_until = float("-inf")

    def soon(self) -> None:
        """Call `show` as soon as the pause allows."""
        wait = self._rests_until - self._clock()
        if wait <= 0:
            self._now()
        elif not self._planned:
            self._planned = True
            self._timers.after(wait, self._now)

    def _now(self) -> None:
        self._planned = False
        began = self._clock()
        self._show()
        now = self._clock()
        self._rests_until = now + _REST * (now - began)
