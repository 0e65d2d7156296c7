"""Has the front end follow the settings and the key file as they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict
from textual.app import App
from textual.widget import AwaitMount

from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import language_from
from nagomi_tui.view.common import theme
from nagomi_tui.view.common.translate import tr, use_language
from nagomi_tui.view.driver.keyboard import Keyboard
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.bindings import Keymap, KeymapWatch
from nagomi_tui.view.screens.main_screen import MainScreen

if TYPE_CHECKING:
    from nagomi_tui.view.dialogs.settings import SettingsView
    from nagomi_tui.view.dialogs.welcome import WelcomeView


@dataclass(eq=False)
class Preferences:
    """Has the front end look and listen as the settings say, and name the keys that the file says."""

    app: App[Any]
    main: MainScreen
    keyboard: Keyboard
    keys: Keymap
    """Those that the file says now."""
    _: KW_ONLY
    settings: Callable[[], Settings]
    env: Mapping[str, str]
    told_background: Callable[[], int]
    """Returns the outer terminal's background as `0xRRGGBB`, or -1 where it is not known."""
    recolor: Callable[[int, int], object]
    """Says which foreground and background sessions have."""
    tell: Callable[..., object]

    def __post_init__(self) -> None:
        self._is_light = False
        """Whether programs that ask were told a light background, since the terminal tells none."""
        self._watch = KeymapWatch()
        self.dialog: SettingsView | WelcomeView | None = None
        """What changes settings, while it is open."""

    def adopt(self, settings: Settings) -> AwaitMount:
        """Follow the settings as they are now; return what waits until the view is made anew."""
        use_language(language_from(self.env, settings.language))
        self.choose_theme(settings)
        self._adopt_leader()
        fault = self.keyboard.choose(
            leaders=[key for key in (settings.leader, settings.second_leader) if key],
            painter=settings.painter,
        )
        if fault:
            self.tell(fault, error=True)
        mounted = self.main.stage.rebuild()
        if self.dialog is not None and self.dialog.is_attached:
            self.app.call_later(self.dialog.take, asdict(settings))
        self.main.show()
        return mounted

    @property
    def background(self) -> int:
        """The outer terminal's background as `0xRRGGBB`, or -1 where nothing tells it."""
        asked = self.told_background()
        return asked if asked >= 0 else theme.told_background(self.env)

    def choose_theme(self, settings: Settings) -> None:
        """Take the theme that the settings, and the outer terminal's background, ask for."""
        self.app.theme = theme.choose(
            settings.theme,
            self.background,
            high_contrast=settings.high_contrast,
            colorblind=settings.colorblind,
            colors=self.app.console.color_system,
        )
        light = not self.app.current_theme.dark
        if self.told_background() < 0 and light is not self._is_light:
            # Programs that ask choose colours that can be read on the room's own.
            self._is_light = light
            self.recolor(*(theme.ON_LIGHT if light else theme.ON_DARK))

    # --- the keys that the file says

    def _adopt_leader(self) -> None:
        """Name the leader in hints as it is set now."""
        bindings.use(self.keys, self.settings().leader)

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
        self.keys = self.main.menu.keys = keys
        self._adopt_leader()
        for problem in keys.problems:
            self.tell(problem, error=True)
        if (take := getattr(self.app.screen, "take_keys", None)) is not None:
            take(keys)
        self.main.show()
