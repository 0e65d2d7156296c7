"""What concerns the whole room: its dialogs, its sound, and leaving it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from nagomi_tui import paths
from nagomi_tui.api.messages import Quit, Reload, Settings
from nagomi_tui.view.common.translate import say, say_count
from nagomi_tui.view.keymap import hint
from nagomi_tui.view.notices import hearing
from nagomi_tui.view.screens.state import has_ended

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.app.application import Room


class RoomVerbs:
    """Actions that need no session."""

    def __init__(self, room: Room, asking: Asking, perform: Callable[[str], None]) -> None:
        self._room = room
        self._state = room.state
        self._asking = asking
        self._perform = perform

    def palette(self) -> None:
        """Search actions and sessions."""
        from nagomi_tui.view.dialogs.palette import Palette

        def chosen(action: str | None) -> None:
            if action:
                self._perform(action)

        dialog = Palette(
            self._state.ordered,
            has_session=self._state.current is not None,
            cols=self._room.size.width,
        )
        self._room.open(dialog, chosen)

    def help(self) -> None:
        """Show all keys."""
        from nagomi_tui.view.dialogs.help import Help

        self._room.open(Help(self._room.keys))

    def settings(self) -> None:
        """Open the settings."""
        from nagomi_tui.view.settings.view import Hands, SettingsView

        hands = Hands(
            change=self._change, remap=self._room.preferences.remap, try_sound=self._try_sound
        )
        view = SettingsView(
            asdict(self._state.settings), self._room.keys, self._state.library, hands
        )
        self._room.preferences.dialog = view
        self._room.open(view)

    def welcome(self) -> None:
        """Ask a newcomer a few questions, once."""
        from nagomi_tui.view.dialogs.welcome import WelcomeView

        def closed(wish: str | None) -> None:
            with contextlib.suppress(OSError):
                paths.make_private(paths.state_folder())
                paths.welcomed_file().touch()
            if wish == "new":
                self._perform("new")

        view = WelcomeView(asdict(self._state.settings), self._state.library, self._change)
        self._room.preferences.dialog = view
        self._room.open(view, closed)

    def _change(self, values: dict[str, Any], then: Callable[[str], None]) -> None:
        self._asking.ask(Settings(id=0, values=values), then)

    def mute(self) -> None:
        """Have no sound for an hour, or hear sounds again."""
        hearing.mute(self._room.link, self._room.tell)

    def sound_test(self) -> None:
        """Hear the sound that calls (N-57)."""
        self._try_sound(self._room.tell)

    def _try_sound(self, then: Callable[[str], object]) -> None:
        hearing.try_sound(self._room.link, then)

    def reload(self) -> None:
        """Load the installed version."""
        self._asking.ask(Reload(id=0))

    def detach(self) -> None:
        """Leave; everything goes on running."""
        self._room.exit("detach")

    def quit(self) -> None:
        """Stop everything, after asking."""
        running = sum(not has_ended(session) for session in self._state.ordered)
        stops = say_count(
            "This stops {count} running session.",
            "This stops all {count} running sessions.",
            running,
        )
        leave = say("To only leave, press {key}.", key=hint.hint("detach"))
        self._asking.confirm(
            say("Quit nagomi?"), f"{stops}\n{leave}", say("Stop everything"),
            lambda: self._asking.ask(Quit(id=0)),
        )  # fmt: skip
