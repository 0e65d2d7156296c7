"""Hears the orchestrator, and has the room do what follows from it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui import __version__
from nagomi_tui.api.messages import (
    Advice,
    Called,
    Event,
    Goodbye,
    GoTo,
    Notice,
    SettingsChanged,
    Speaking,
    Welcome,
)
from nagomi_tui.view.character.face_clock import FaceClock
from nagomi_tui.view.common.translate import say
from nagomi_tui.view.notices.digest import digest_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import ToClient
    from nagomi_tui.view.app.application import Room

_PACKS_AFTER: Final = 1.0
"""Seconds until all characters are read, which nobody waits for."""

_REST: Final = 3.0
"""So many times as long as it takes to show everything, it is not done again."""


class Listener:
    """Takes in what comes over the link, while the room is up."""

    def __init__(self, room: Room, *, problems: tuple[str, ...], newcomer: bool) -> None:
        self._room = room
        self._problems = problems
        self._newcomer = newcomer
        self._face_clock = FaceClock(room, room.state.faces, self._show_faces)
        self._expected = ""
        self._arrived: Callable[[], None] = lambda: None
        self._shows_later = False
        self._rests_until = 0.0
        self.welcomed = False
        """Whether the orchestrator has told how things stand."""

    def start(self) -> None:
        """Listen from now on, and connect."""
        link = self._room.link
        link.on_message = self.heard
        link.on_connected = self.connected
        link.on_keys_dropped = self._keys_dropped
        link.start(asyncio.get_running_loop())

    def heard(self, message: ToClient) -> None:
        """Take in what the orchestrator said."""
        room = self._room
        changed = room.state.apply(message)
        match message:
            case Welcome():
                self._welcome(message)
            case SettingsChanged():
                room.preferences.adopt()
            case Notice(kind=kind, text=text):
                room.tell(text, error=kind == "error")
            case Event(session=session, kind=kind, text=text):
                self._child_event(session, kind, text)
            case Speaking(session=session, on=on, seconds=seconds):
                room.state.faces.speak(session, time.monotonic() + seconds if on else 0.0)
                self._show_faces()
            case Called():
                room.calls.called(message)
            case Advice():
                room.judge_pane.advise(message)
            case GoTo(session=session):
                room.verbs.moving.go_to(session)
            case Goodbye(reason=reason):
                room.exit(reason)
            case _:
                pass
        if changed and self.welcomed:
            self._come_to_expected()
            self._show_soon()
        self._face_clock.plan()

    def _show_soon(self) -> None:
        """Show how things are now; where that comes often, it is no more than a part of our time."""
        wait = self._rests_until - time.monotonic()
        if wait <= 0:
            self._show()
        elif not self._shows_later:
            self._shows_later = True
            self._room.set_timer(wait, self._show)

    def _show(self) -> None:
        self._shows_later = False
        began = time.monotonic()
        self._room.show()
        now = time.monotonic()
        self._rests_until = now + _REST * (now - began)

    def connected(self, connected: bool) -> None:
        """The connection came or went; it comes back by itself."""
        if connected:
            self._room.calls.start_over()
        self._room.screen_bar.connected = connected
        self._room.screen_bar.show()

    def expect(self, session_id: str) -> None:
        """Go to a session as soon as the orchestrator tells of it; it gets what is typed now."""
        self._expected, self._arrived = session_id, self._room.typed_ahead.hold()
        self._come_to_expected()

    def _welcome(self, message: Welcome) -> None:
        first, self.welcomed = not self.welcomed, True
        room = self._room
        room.screen_bar.skewed = message.version != __version__
        mounted = room.preferences.adopt()
        if first:
            room.call_later(room.curtain.open_after, mounted)
            for problem in self._problems:
                room.tell(problem, error=True)
            if line := digest_line(message.digest):
                room.tell(line)
            room.set_timer(_PACKS_AFTER, self._name_broken_packs)
            if self._newcomer:
                room.verbs.room.welcome()

    def _name_broken_packs(self) -> None:
        """Read all characters now that the room stands, and name those that are broken."""
        for problem in self._room.state.library.problems():
            self._room.tell(problem, error=True)

    def _keys_dropped(self, count: int) -> None:
        """Say that what was typed meanwhile did not arrive."""
        sentence = say("{count} keys typed meanwhile were not sent.", count=count)
        self._room.tell(sentence, error=True)

    def _child_event(self, session: str, kind: str, text: str) -> None:
        if kind == "clipboard":
            # A program that nobody looks at must not change what the user has copied.
            if session == self._room.state.focused:
                self._room.outside.copy(text)
        elif kind == "bell":
            self._room.bell()

    def _come_to_expected(self) -> None:
        if self._expected in self._room.state.sessions:
            expected, self._expected = self._expected, ""
            self._room.verbs.moving.go_to(expected)
            self._arrived()

    def _show_faces(self) -> None:
        room = self._room
        if self.welcomed and room.is_running and room.screen_stack:
            room.stage.show_faces()
