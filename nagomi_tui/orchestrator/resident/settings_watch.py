"""Follows the settings file, so that changes by hand take effect at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial
from threading import BoundedSemaphore
from typing import Final

import msgspec

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.requests import CurrentSettings
from nagomi_tui.orchestrator.runtime.timers import next_pulse
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.settings import store
from nagomi_tui.settings.checks import BadSetting
from nagomi_tui.settings.existing import doubts
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines
from nagomi_tui.text.words import translatable

_Stamp = tuple[int, int, int]

LOOK_SECONDS: Final = 1.0
_DOUBT_LOOKS: Final = 5
"""Looks after one of which that is sought again which a setting names and which was not there."""
_PATIENCE: Final = 2.0
"""Seconds for which reading the file is awaited; a later result still counts when it comes."""
_NO_ANSWER: Final = translatable(
    "{path} does not answer; settings are at their defaults until it does. Is the disk there?"
)
_MENDED: Final = translatable("{path} is in order again.")
_FOUND: Final = translatable("`{name}` is in order again.")
_NO_ANSWER_NAMED: Final = translatable(
    "A file or folder that the settings name does not answer. Is the disk or server there?"
)


class SettingsWatch:
    """Reads the file again once it has changed and was left alone for a moment."""

    def __init__(self, settings: CurrentSettings, audience: Audience) -> None:
        self._settings = settings
        self._audience = audience
        self._file_slots, self._named_slots = BoundedSemaphore(), BoundedSemaphore()
        self._complained = False
        """Whether the file had faults when it was read last."""
        self._doubted: frozenset[str] = frozenset()
        """The settings that were told to name what is not there."""
        self._read: _Stamp | None = None
        self._seen: _Stamp | None = None

    async def begin(self) -> None:
        """Load the settings; a file that does not answer is loaded later."""
        try:
            stamp, loaded = await deadlines.run(
                lambda: (store.stamp(), store.load()), seconds=_PATIENCE, slots=self._file_slots
            )
        except TimeoutError:
            self._audience.tell("error", _NO_ANSWER, path=store.settings_file())
            return
        self._read = self._seen = stamp
        self._settings.apply(loaded.settings)
        self._complain(loaded)

    async def run(self) -> None:
        """Check the file every second, by one `stat`; now and then what it named in vain."""
        for number in itertools.count(1):
            await next_pulse(LOOK_SECONDS)
            await self.look()
            if self._doubted and number % _DOUBT_LOOKS == 0:
                await self.seek()

    async def look(self) -> None:
        """Load the file if it has changed, and is not being written any more."""
        try:
            seen = await deadlines.run(store.stamp, seconds=_PATIENCE, slots=self._file_slots)
            before, self._seen = self._seen, seen
            if seen != before or seen == self._read:
                return
            loaded = await deadlines.run(
                partial(store.load, aside=False), seconds=_PATIENCE, slots=self._file_slots
            )
        except TimeoutError:
            return
        self._read = seen
        mended = self._complained and not loaded.faults
        self._complain(loaded)
        if loaded.whole and loaded.settings != self._settings():
            self._settings.apply(loaded.settings)
            told = msgspec.to_builtins(loaded.settings)
            self._audience.broadcast(messages.SettingsChanged(settings=told))
        if mended:
            self._audience.tell("info", _MENDED, path=store.settings_file().name)
        await self.doubt(loaded.settings)

    async def doubt(self, settings: Settings) -> None:
        """Report files and programs that the settings name and that do not exist."""
        try:
            faults = await self._missing(settings)
        except TimeoutError:
            self._audience.tell("error", _NO_ANSWER_NAMED)
            return
        self._found(self._doubted - faults.keys())
        self._doubted = frozenset(faults)
        for fault in faults.values():
            self._audience.tell("error", fault.message, **fault.values)

    async def seek(self) -> None:
        """Tell of what a setting named in vain and what has come to be since."""
        try:
            faults = await self._missing(self._settings())
        except TimeoutError:
            return
        self._found(self._doubted - faults.keys())
        self._doubted &= faults.keys()

    async def _missing(self, settings: Settings) -> dict[str, BadSetting]:
        return await deadlines.run(
            partial(doubts, settings), seconds=_PATIENCE, slots=self._named_slots
        )

    def _found(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            self._audience.tell("info", _FOUND, name=name)

    def _complain(self, loaded: store.Loaded) -> None:
        self._complained = bool(loaded.faults)
        for fault in loaded.faults:
            self._audience.tell("error", fault.message, **fault.values)
