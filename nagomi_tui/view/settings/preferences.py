"""What the user has set, followed as it changes: language, theme, leader, painter, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from nagomi_tui.view.common import theme
from nagomi_tui.view.common.translate import say, speak
from nagomi_tui.view.keymap import file, hint
from nagomi_tui.view.keymap.menu import LeaderMenu
from nagomi_tui.view.keymap.watch import KeymapWatch
from nagomi_tui.words import language_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.widget import AwaitMount

    from nagomi_tui.view.app.application import Room
    from nagomi_tui.view.dialogs.welcome import WelcomeView
    from nagomi_tui.view.keymap.bindings import Keymap
    from nagomi_tui.view.settings.view import SettingsView


class Preferences:
    """Has the room look and listen as the settings and `keymap.toml` say."""

    def __init__(self, room: Room, env: Mapping[str, str]) -> None:
        self._room = room
        self._env = env
        self._watch = KeymapWatch()
        self.dialog: SettingsView | WelcomeView | None = None
        """What changes settings, while it is open."""

    def adopt(self) -> AwaitMount:
        """Follow the settings as they are now; the view is made anew."""
        room, settings = self._room, self._room.state.settings
        speak(language_from(self._env, settings.language))
        room.theme = theme.choose(
            settings.theme,
            room.link.background,
            high_contrast=settings.high_contrast,
            colorblind=settings.colorblind,
        )
        hint.use(room.keys, settings.leader)
        fault = room.keyboard.choose(
            leaders=[key for key in (settings.leader, settings.second_leader) if key],
            painter=settings.painter,
        )
        if fault:
            room.tell(fault, error=True)
        mounted = room.stage.rebuild()
        if self.dialog is not None and self.dialog.is_attached:
            room.call_later(self.dialog.take, asdict(settings))
        room.show()
        return mounted

    def remap(self, action: str, keys: tuple[str, ...] | None) -> str:
        """Give an action other keys, or the shipped ones; return what is wrong."""
        try:
            file.save(action, keys)
        except OSError as exc:
            return say("keymap.toml cannot be written: {reason}", reason=exc.strerror or exc)
        self.follow_keymap()
        return ""

    def follow_keymap(self) -> None:
        """Take the keys in `keymap.toml`, if it is another one than before."""
        if (keys := self._watch.changed()) is not None:
            self._use_keys(keys)

    def _use_keys(self, keys: Keymap) -> None:
        room = self._room
        room.keys = room.room_screen.query_one(LeaderMenu).keys = keys
        hint.use(keys, room.state.settings.leader)
        for problem in keys.problems:
            room.tell(problem, error=True)
        if (take := getattr(room.screen, "take_keys", None)) is not None:
            take(keys)
        room.show()
