"""Changes settings for a client: they are stored, applied, and sent to all clients."""

from __future__ import annotations

from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui import deadline_thread
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.settings import loading
from nagomi_tui.settings.checks import BadSetting, changed
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.runtime.current_settings import CurrentSettings
    from nagomi_tui.orchestrator.sessions.audience import Broadcast

_SAVE_SECONDS: Final = 10.0


class SettingsChange:
    """Makes changes one after the other."""

    def __init__(self, settings: CurrentSettings, broadcast: Broadcast) -> None:
        self._current = settings
        self._broadcast = broadcast
        self._saving = anyio.Lock()
        self._slots = BoundedSemaphore()

    async def change(self, values: messages.SettingValues) -> messages.SettingValues:
        """Set these values, if there are any, and return all settings.

        Raises:
            Refusal: a value is not valid, or the file cannot be written; nothing was changed.
        """
        if values:
            async with self._saving:
                await self._save(values)
        return self._values()

    async def _save(self, values: messages.SettingValues) -> None:
        try:
            wanted = changed(self._current(), values)
            await deadline_thread.run(
                partial(loading.save, wanted), seconds=_SAVE_SECONDS, slots=self._slots
            )
        except BadSetting as exc:
            raise Refusal("bad_request", exc.message, **exc.values) from exc
        except OSError as exc:
            sentence = translatable("The settings cannot be written: {reason}.")
            reason = exc.strerror or str(exc) or "their folder does not answer"
            raise Refusal("refused", sentence, reason=reason) from exc
        self._current.apply(wanted)
        self._broadcast(messages.SettingsChanged(settings=self._values()))

    def _values(self) -> messages.SettingValues:
        values: messages.SettingValues = msgspec.to_builtins(self._current())
        return values
