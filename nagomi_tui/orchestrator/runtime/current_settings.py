"""The settings in force; parts that depend on them ask for them each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.settings.model import Settings

if TYPE_CHECKING:
    from collections.abc import Callable


class CurrentSettings:
    """Returns the settings when called; `on_change` is called with the old and the new ones."""

    def __init__(self) -> None:
        self._now = Settings()
        self.on_change: Callable[[Settings, Settings], None] = _nothing

    def __call__(self) -> Settings:
        return self._now

    def apply(self, settings: Settings) -> None:
        """Put these settings in force."""
        before, self._now = self._now, settings
        self.on_change(before, settings)


def _nothing(before: Settings, now: Settings) -> None:
    pass
