"""Has the front end follow the settings and the key file as they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from nagomi_tui.text.words import language_from
from nagomi_tui.view.common import theme
from nagomi_tui.view.common.translate import tr, use_language
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.bindings import Keymap, KeymapWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import App
    from textual.widget import AwaitMount

    from nagomi_tui.settings.model import Settings
    from nagomi_tui.view.dialogs.welcome import WelcomeView
    from nagomi_tui.view.driver.keyboard import Keyboard
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.settings.view import SettingsView


class Preferences:
    """Has the front end look and listen as the settings say, and name the keys that the file says."""

    def __init__(
        self,
        app: App[Any],
        main: MainScreen,
        keyboard: Keyboard,
        keys: Keymap,
        *,
        settings: Callable[[], Settings],
        env: Mapping[str, str],
        background: Callable[[], int],
        recolor: Callable[[int, int], object],
        tell: Callable[..., object],
    ) -> None:
        """`recolor` says which foreground and background sessions have."""
        self._app = app
        self._recolor = recolor
        self._is_light = False
        """Whether programs that ask were told a light background, since the terminal tells none."""
        self._main = main
        self._keyboard = keyboard
        self.keys = keys
        """Those that the file says now."""
        self._watch = KeymapWatch()
        self._settings = settings
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
        self._adopt_leader()
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

    @property
    def background(self) -> int:
        """The outer terminal's background as `0xRRGGBB`, or -1 where nothing tells it."""
        asked = self._background()
        return asked if asked >= 0 else theme.told_background(self._env)

    def choose_theme(self, settings: Settings) -> None:
        """Take the theme that the settings, and the outer terminal's background, ask for."""
        self._app.theme = theme.choose(
            settings.theme,
            self.background,
            high_contrast=settings.high_contrast,
            colorblind=settings.colorblind,
            colors=self._app.console.color_system,
        )
        light = not self._app.current_theme.dark
        if self._background() < 0 and light is not self._is_light:
            # Programs that ask choose colours that can be read on the room's own.
            self._is_light = light
            self._recolor(*(theme.ON_LIGHT if light else theme.ON_DARK))

    # --- the keys that the file says

    def _adopt_leader(self) -> None:
        """Name the leader in hints as it is set now."""
        bindings.use(self.keys, self._settings().leader)

    def remap(self, action: str, keys: tuple[str, ...] | None) -> str:
        """Give an action other keys, or the shipped ones if None; return what is wrong, or ""."""
        try:
            bindings.save(action, keys)
        except OSError as exc:
            return tr("keymap.toml cannot be written: {reason}", reason=exc.strerror or exc)
        self.follow_file()
        return ""

    def follow_file(self) -> None:
        """Take the keys in `keymap.toml`, if it is another one than before."""
        if (keys := self._watch.changed()) is not None:
            self._use(keys)

    def _use(self, keys: Keymap) -> None:
        self.keys = self._main.menu.keys = keys
        self._adopt_leader()
        for problem in keys.problems:
            self._tell(problem, error=True)
        if (take := getattr(self._app.screen, "take_keys", None)) is not None:
            take(keys)
        self._main.show()
