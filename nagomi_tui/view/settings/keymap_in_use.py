"""The keys that are in use: shipped, or changed by the user's `keymap.toml`, and followed there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap import file, hint
from nagomi_tui.view.keymap.watch import KeymapWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

    from nagomi_tui.settings.model import Settings
    from nagomi_tui.view.keymap.bindings import Keymap
    from nagomi_tui.view.keymap.menu import LeaderMenu


class KeyScreen(Protocol):
    """The main screen, as far as it names keys."""

    @property
    def menu(self) -> LeaderMenu:
        """The menu of the keys after the leader, open or not."""

    def show(self) -> None:
        """Show everything as it is now."""


class KeymapInUse:
    """Has menu, hints and dialogs name the keys that the file says, as soon as it changes."""

    def __init__(
        self,
        app: App[Any],
        main: KeyScreen,
        settings: Callable[[], Settings],
        keys: Keymap,
        *,
        tell: Callable[..., object],
    ) -> None:
        """`keys` are those that the file says now; `tell` shows the user a sentence."""
        self.keys = keys
        self._app = app
        self._main = main
        self._settings = settings
        self._tell = tell
        self._watch = KeymapWatch()

    def adopt_leader(self) -> None:
        """Name the leader in hints as it is set now."""
        hint.use(self.keys, self._settings().leader)

    def remap(self, action: str, keys: tuple[str, ...] | None) -> str:
        """Give an action other keys, or the shipped ones if None; return what is wrong, or ""."""
        try:
            file.save(action, keys)
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
        self.adopt_leader()
        for problem in keys.problems:
            self._tell(problem, error=True)
        if (take := getattr(self._app.screen, "take_keys", None)) is not None:
            take(keys)
        self._main.show()
