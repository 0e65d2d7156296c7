"""What concerns the whole application: its dialogs, its sound, and leaving it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from nagomi_tui import paths
from nagomi_tui.api.messages import Quit, Reload, Settings
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.keymap import hint
from nagomi_tui.view.notices import hearing
from nagomi_tui.view.screens.state import has_ended

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.connection.roles import RequestLink
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState
    from nagomi_tui.view.settings.preferences import Preferences


class ApplicationHandlers:
    """Actions that need no session."""

    def __init__(
        self,
        link: RequestLink,
        main: MainScreen,
        state: AppState,
        asking: Asking,
        preferences: Preferences,
        *,
        perform: Callable[[str], None],
        leave: Callable[[str], object],
        tell: Callable[..., object],
    ) -> None:
        self._link = link
        self._main = main
        self._state = state
        self._asking = asking
        self._preferences = preferences
        self._perform = perform
        self._leave = leave
        """Ends this front end, for a reason."""
        self._tell = tell

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {
            "palette": self.palette,
            "help": self.help,
            "settings": self.settings,
            "mute": self.mute,
            "sound_test": self.sound_test,
            "reload": self.reload,
            "detach": self.detach,
            "quit": self.quit,
        }

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

        self._main.open(Help(self._preferences.keys))

    def settings(self) -> None:
        """Open the settings."""
        from nagomi_tui.view.settings.view import SettingsActions, SettingsView

        actions = SettingsActions(
            change=self._change, remap=self._preferences.remap, try_sound=self._try_sound
        )
        view = SettingsView(
            asdict(self._state.settings), self._preferences.keys, self._state.library, actions
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

    def mute(self) -> None:
        """Have no sound for an hour, or hear sounds again."""
        hearing.mute(self._link, self._tell)

    def sound_test(self) -> None:
        """Hear the sound that calls (N-57)."""
        self._try_sound(self._tell)

    def _try_sound(self, then: Callable[[str], object]) -> None:
        hearing.try_sound(self._link, then)

    def reload(self) -> None:
        """Load the installed version."""
        self._asking.ask(Reload(id=0))

    def detach(self) -> None:
        """Leave; everything goes on running."""
        self._leave("detach")

    def quit(self) -> None:
        """Stop everything, after asking."""
        running = sum(not has_ended(session) for session in self._state.ordered)
        stops = tr_count(
            "This stops {count} running session.",
            "This stops all {count} running sessions.",
            running,
        )
        leave = tr("To only leave, press {key}.", key=hint.hint("detach"))
        self._asking.confirm(
            tr("Quit nagomi?"), f"{stops}\n{leave}", tr("Stop everything"),
            lambda: self._asking.ask(Quit(id=0)),
        )  # fmt: skip
