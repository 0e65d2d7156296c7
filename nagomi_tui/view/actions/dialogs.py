"""Dialogs of the whole application: the palette, help, the settings, and a newcomer's welcome."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from nagomi_tui import paths
from nagomi_tui.api.messages import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState
    from nagomi_tui.view.settings.keymap_in_use import KeymapInUse
    from nagomi_tui.view.settings.preferences import Preferences


class DialogHandlers:
    """Actions that open a dialog and need no session."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        asking: Asking,
        *,
        preferences: Preferences,
        keymap: KeymapInUse,
        perform: Callable[[str], None],
        try_sound: Callable[[Callable[[str], object]], None],
    ) -> None:
        self._main = main
        self._state = state
        self._asking = asking
        self._preferences = preferences
        self._keymap = keymap
        self._perform = perform
        """Carries out an action by its name."""
        self._try_sound = try_sound
        """Plays the sound of a call, and tells what played it."""

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {"palette": self.palette, "help": self.help, "settings": self.settings}

    def palette(self) -> None:
        """Search actions and sessions."""
        from nagomi_tui.view.dialogs.palette import Palette

        def chosen(action: str | None) -> None:
            if action:
                self._perform(action)

        dialog = Palette(
            self._state.ordered,
            has_session=self._state.current is not None,
            cols=self._main.screen.size.width,
        )
        self._main.open(dialog, chosen)

    def help(self) -> None:
        """Show all keys."""
        from nagomi_tui.view.dialogs.help import Help

        self._main.open(Help(self._keymap.keys))

    def settings(self) -> None:
        """Open the settings."""
        from nagomi_tui.view.settings.view import SettingsActions, SettingsView

        actions = SettingsActions(
            change=self._change, remap=self._keymap.remap, try_sound=self._try_sound
        )
        view = SettingsView(
            asdict(self._state.settings), self._keymap.keys, self._state.library, actions
        )
        self._preferences.dialog = view
        self._main.open(view)

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
        self._preferences.dialog = view
        self._main.open(view, closed)

    def _change(self, values: dict[str, Any], then: Callable[[str], None]) -> None:
        self._asking.ask(Settings(id=0, values=values), then)
