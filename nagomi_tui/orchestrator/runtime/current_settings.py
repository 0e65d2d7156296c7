"""The settings as they are now; whoever depends on them asks anew each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.settings.model import Settings

if TYPE_CHECKING:
    from collections.abc import Callable


class CurrentSettings:
    """Called, it returns the settings; `on_change` gets those of before and those of now."""

    def __init__(self) -> None:
        self._now = Settings()
        self.on_change: Callable[[Settings, Settings], None] = _nothing

    def __call__(self) -> Settings:
        return self._now

    def apply(self, settings: Settings) -> None:
        """Settings are these from now on."""
        before, self._now = self._now, settings
        self.on_change(before, settings)


def _nothing(before: Settings, now: Settings) -> None:
    pass
