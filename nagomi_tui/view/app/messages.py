"""Carries out the orchestrator's messages in the front end, and draws what they change."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Final

from nagomi_tui.api.messages import Event, Speaking
from nagomi_tui.view.common.timers import Timers
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.notices import Calls
from nagomi_tui.view.screens.main_screen import MainScreen
from nagomi_tui.view.screens.state import AppState


@dataclass(eq=False)
class OrchestratorMessages:
    """Acts on messages that change neither the list of sessions nor the settings."""

    main: MainScreen
    state: AppState
    calls: Calls
    _: KW_ONLY
    copy: Callable[[str], object]
    """Puts a text into the user's clipboard."""
    bell: Callable[[], object]
    """Rings the user's terminal."""
    tell: Callable[..., object]
    """Shows the user a sentence."""

    def connected(self, connected: bool) -> None:
        """The connection came or went; it comes back by itself."""
        if connected:
            self.calls.start_over()
        self.main.bottom_bar.connected = connected
        self.main.bottom_bar.show()

    def keys_dropped(self, count: int) -> None:
        """Say that what was typed meanwhile did not arrive."""
        sentence = tr("{count} keys typed meanwhile were not sent.", count=count)
        self.tell(sentence, error=True)

    def session_event(self, event: Event) -> None:
        """A program has rung the bell, or wants something copied."""
        if event.kind == "clipboard":
            # A program that nobody looks at must not change what the user has copied.
            if event.session == self.state.focused:
                self.copy(event.text)
        elif event.kind == "bell":
            self.bell()

    def speaking(self, speaking: Speaking) -> None:
        """A character speaks, or has ended: its mouth moves meanwhile."""
        until = time.monotonic() + speaking.seconds if speaking.on else 0.0
        self.state.faces.speak(speaking.session, until)
        self.main.show_faces()


_REST: Final = 3.0
"""Pause after a redraw, as a multiple of the time that it took."""


@dataclass(eq=False)
class Redraw:
    """Calls `show` at once, or after the pause: then once for all changes until then."""

    timers: Timers
    show: Callable[[], object]
    _: KW_ONLY
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._planned = False
        self._rests_until = float("-inf")

    def soon(self) -> None:
        """Call `show` as soon as the pause allows."""
        wait = self._rests_until - self.clock()
        if wait <= 0:
            self._now()
        elif not self._planned:
            self._planned = True
            self.timers.after(wait, self._now)

    def _now(self) -> None:
        self._planned = False
        began = self.clock()
        self.show()
        now = self.clock()
        self._rests_until = now + _REST * (now - began)
