"""Carries out the orchestrator's messages in the front end, from its welcome on, and draws what they change."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from textual.app import App
from textual.notifications import Notification
from textual.widget import AwaitMount

from nagomi_tui import __version__
from nagomi_tui.api.messages import Event, Speaking, Welcome
from nagomi_tui.sessions.session import NEEDS, Condition
from nagomi_tui.text.cells import printable
from nagomi_tui.view.app.memory import Memory
from nagomi_tui.view.character.library import Library
from nagomi_tui.view.common.timers import Timers
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.driver.keyboard import TypedAhead
from nagomi_tui.view.notices import Calls, Toasts
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
        sentence = tr_count(
            "{count} key typed meanwhile was not sent.",
            "{count} keys typed meanwhile were not sent.",
            count,
        )
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


_PATIENCE: Final = 0.5
"""Seconds after which the screen is drawn without the orchestrator."""
_DIGEST_SECONDS: Final = 30.0
"""Seconds for which the agent's digest is shown."""
_PACKS_AFTER: Final = 1.0
"""Seconds until all characters are read, which nobody waits for."""


@dataclass(eq=False)
class Arrival:
    """Shows the screen for the first time, whole, and tells what is new or wrong then."""

    app: App[Any]
    main: MainScreen
    timers: Timers
    toasts: Toasts
    library: Library
    _: KW_ONLY
    memory: Memory
    adopt: Callable[[], AwaitMount]
    """Follows the settings, and returns what waits until the view is made."""
    problems: tuple[str, ...]
    """Sentences about what in the user's keymap does not fit."""
    tell: Callable[..., object]
    ask_newcomer: Callable[[], object] | None
    """Opens the welcome, or None for a user who was here before."""

    def __post_init__(self) -> None:
        self._undrawn = ExitStack()
        self._arrived = False
        self.arrived: Callable[[], object] = lambda: None
        """Called when the keys are with the session in front."""

    def hold(self) -> None:
        """Suppress drawing while the application mounts, for half a second at most."""
        self._undrawn.enter_context(self.app.batch_update())
        self.timers.after(_PATIENCE, self._undrawn.close)

    def welcomed(self, message: Welcome) -> None:
        """Take the settings; the first time, show everything and say what is new or wrong."""
        first, self._arrived = not self._arrived, True
        self.main.bottom_bar.skewed = message.version != __version__
        if first:
            self.memory.take()
        mounted = self.adopt()
        if first:
            self.app.call_later(self._draw_after, mounted)
            self.app.call_later(self.memory.scroll)
            self.app.call_later(self.arrived)
            self._tell_news(message.digest)

    async def _draw_after(self, mounted: AwaitMount) -> None:
        """Draw everything once the view is mounted."""
        await mounted
        self._undrawn.close()
        # What depends on places is not known before they were given.
        self.app.call_after_refresh(self.main.show)

    def _tell_news(self, digest: tuple[tuple[str, str], ...]) -> None:
        """Tell all that there is; `digest` is the orchestrator's, of the user's absence."""
        for problem in self.problems:
            self.tell(problem, error=True)
        if line := digest_line(digest):
            self.tell(line)
        lines = [f"· {printable(line)}" for line, what in digest if what == "agent"]
        if lines:
            title = tr("While you were away")
            self.toasts.show(Notification("\n".join(lines), title, timeout=_DIGEST_SECONDS))
        self.timers.after(_PACKS_AFTER, self._name_broken_packs)
        if self.ask_newcomer is not None:
            self.ask_newcomer()

    def _name_broken_packs(self) -> None:
        """Read all characters now that the screen is there, and name those that are broken."""
        for problem in self.library.problems():
            self.tell(problem, error=True)


_NAMES_AT_MOST: Final = 3


def digest_line(digest: tuple[tuple[str, str], ...]) -> str:
    """Return the sentence, or "" if nothing happened."""
    parts = []
    for one in dict.fromkeys((*NEEDS, *Condition)):
        names = [printable(name) for name, told in digest if told == one]
        if names:
            parts.append(tr("{names}: {word}", names=_listed(names), word=tr(one.word)))
    if not parts:
        return ""
    return tr("While you were away: {news}", news=tr(" · ").join(parts))


def _listed(names: list[str]) -> str:
    shown = tr(", ").join(names[:_NAMES_AT_MOST])
    more = len(names) - _NAMES_AT_MOST
    return tr("{names} and {count} more", names=shown, count=more) if more > 0 else shown


@dataclass(eq=False)
class ExpectedSession:
    """Waits for the session that was asked for last, and goes to it."""

    state: AppState
    typed_ahead: TypedAhead
    _: KW_ONLY
    go_to: Callable[[str], object]

    def __post_init__(self) -> None:
        self._session_id = ""
        self._release: Callable[[], None] = lambda: None

    def expect(self, session_id: str) -> None:
        """Go to a session as soon as it is there; it gets what is typed from now on."""
        self._session_id, self._release = session_id, self.typed_ahead.hold()
        self.look()

    def look(self) -> None:
        """Go to the session if it is there by now."""
        if self._session_id in self.state.sessions:
            session_id, self._session_id = self._session_id, ""
            self.go_to(session_id)
            self._release()
