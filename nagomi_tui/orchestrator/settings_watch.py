"""Follows the settings file: what a user changes in it by hand counts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.pulse import next_pulse
from nagomi_tui.settings import loading
from nagomi_tui.settings.existing import doubts

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.workplace import Workplace

LOOK_SECONDS: Final = 1.0


class SettingsWatch:
    """Reads the file again once it has changed and was left alone for a moment."""

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._read = self._seen = loading.stamp()

    async def run(self) -> None:
        """Look every second; it costs one `stat`."""
        while True:
            await next_pulse(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """Take in the file if it is another one, and is not being written any more."""
        seen, before = loading.stamp(), self._seen
        self._seen = seen
        if seen != before or seen == self._read:
            return
        self._read = seen
        loaded = loading.load(aside=False)
        for fault in (*loaded.faults, *doubts(loaded.settings)):
            self._place.tell("error", fault.message, **fault.values)
        if loaded.whole and loaded.settings != self._place.settings:
            self._place.apply(loaded.settings)
            told = msgspec.to_builtins(loaded.settings)
            self._place.broadcast(messages.SettingsChanged(settings=told))
