"""What the user has set, followed as it changes: language, theme, leader, painter, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from nagomi_tui.view.common import theme
from nagomi_tui.view.common.translate import tr, use_language
from nagomi_tui.view.keymap import file, hint
from nagomi_tui.view.keymap.watch import KeymapWatch
from nagomi_tui.words import language_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import App
    from textual.widget import AwaitMount

    from nagomi_tui.settings.model import Settings
    from nagomi_tui.view.dialogs.welcome import WelcomeView
    from nagomi_tui.view.driver.keyboard import Keyboard
    from nagomi_tui.view.keymap.bindings import Keymap
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.settings.view import SettingsView


class Preferences:
    """Has the front end look and listen as the settings and `keymap.toml` say."""

    def __init__(
        self,
        app: App[Any],
        main: MainScreen,
        settings: Callable[[], Settings],
        keyboard: Keyboard,
        *,
        keys: Keymap,
        env: Mapping[str, str],
        background: Callable[[], int],
        tell: Callable[..., object],
    ) -> None:
        self.keys = keys
        self._app = app
        self._main = main
        self._settings = settings
        self._keyboard = keyboard
        self._env = env
        self._background = background
        """Returns the outer terminal's background as `0xRRGGBB`, or -1 where it is not known."""
        self._tell = tell
        self._watch = KeymapWatch()
        self.dialog: SettingsView | WelcomeView | None = None
        """What changes settings, while it is open."""

    def adopt(self) -> AwaitMount:
        """Follow the settings as they are now; the view is made anew."""
        settings = self._settings()
        use_language(language_from(self._env, settings.language))
        self._app.theme = theme.choose(
            settings.theme,
            self._background(),
            high_contrast=settings.high_contrast,
            colorblind=settings.colorblind,
        )
        hint.use(self.keys, settings.leader)
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

    def remap(self, action: str, keys: tuple[str, ...] | None) -> str:
        """Give an action other keys, or the shipped ones; return what is wrong."""
        try:
            file.save(action, keys)
        except OSError as exc:
            return tr("keymap.toml cannot be written: {reason}", reason=exc.strerror or exc)
        self.follow_keymap()
        return ""

    def follow_keymap(self) -> None:
        """Take the keys in `keymap.toml`, if it is another one than before."""
        if (keys := self._watch.changed()) is not None:
            self._use_keys(keys)

    def _use_keys(self, keys: Keymap) -> None:
        self.keys = self._main.menu.keys = keys
        hint.use(keys, self._settings().leader)
        for problem in keys.problems:
            self._tell(problem, error=True)
        if (take := getattr(self._app.screen, "take_keys", None)) is not None:
            take(keys)
        self._main.show()
