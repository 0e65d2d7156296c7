"""What the user has set, followed as it changes: language, theme, leader, painter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from nagomi_tui.view.common import theme
from nagomi_tui.view.common.translate import use_language
from nagomi_tui.words import language_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import App
    from textual.widget import AwaitMount

    from nagomi_tui.settings.model import Settings
    from nagomi_tui.view.dialogs.welcome import WelcomeView
    from nagomi_tui.view.driver.keyboard import Keyboard
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.settings.keymap_in_use import KeymapInUse
    from nagomi_tui.view.settings.view import SettingsView


class Preferences:
    """Has the front end look and listen as the settings say."""

    def __init__(
        self,
        app: App[Any],
        main: MainScreen,
        keyboard: Keyboard,
        keymap: KeymapInUse,
        *,
        env: Mapping[str, str],
        background: Callable[[], int],
        tell: Callable[..., object],
    ) -> None:
        self._app = app
        self._main = main
        self._keyboard = keyboard
        self._keymap = keymap
        self._env = env
        self._background = background
        """Returns the outer terminal's background as `0xRRGGBB`, or -1 where it is not known."""
        self._tell = tell
        self.dialog: SettingsView | WelcomeView | None = None
        """What changes settings, while it is open."""

    def adopt(self, settings: Settings) -> AwaitMount:
        """Follow the settings as they are now; return what waits until the view is made anew."""
        use_language(language_from(self._env, settings.language))
        self.choose_theme(settings)
        self._keymap.adopt_leader()
        fault = self._keyboard.choose(
            leaders=[key for key in (settings.leader, settings.second_leader) if key],
            painter=settings.painter,
        )
        if fault:
            self._tell(fault, error=True)
        mounted = self._main.stage.rebuild()
        if self.dialog is not None and self.dialog.is_attached:
            self._app.call_later(self.dialog.take, asdict(settings))
        self._main.show()
        return mounted

    def choose_theme(self, settings: Settings) -> None:
        """Take the theme that the settings, and the outer terminal's background, ask for."""
        self._app.theme = theme.choose(
            settings.theme,
            self._background(),
            high_contrast=settings.high_contrast,
            colorblind=settings.colorblind,
            colors=self._app.console.color_system,
        )
