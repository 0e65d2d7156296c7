"""The model that the settings name, kept while they stay; nothing is sent without consent."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

import anyio
import msgspec

from nagomi_tui.agent.providers.choose import limit_of, provider_of
from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.agent.turns.faults import CONSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.agent.providers.interface import Provider
    from nagomi_tui.settings.model import Settings


class Told(Protocol):
    """Hears of each fault after which the model is asked again, and in how many seconds."""

    def __call__(self, fault: ModelFault, seconds: float) -> object: ...


class Models:
    """Gives out providers; `environment` is where their keys may be."""

    def __init__(self, settings: Callable[[], Settings], environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment
        self._kept: dict[tuple[object, ...], Provider] = {}

    def provider(self, model: str = "", environment: Mapping[str, str] | None = None) -> Provider:
        """Return the provider of the settings as they are, or with another model.

        `environment` goes before that of this process: the key of whoever asks.

        Raises:
            ModelFault: the user has not agreed yet, or there is no key.
        """
        settings = self._chosen(model)
        if not settings.llm_consent:
            raise ModelFault("refused", kind=CONSENT)
        known = {**self._environment, **(environment or {})}
        key = (
            settings.agent_provider, settings.agent_url, settings.agent_model, settings.language,
            settings.agent_key_command, *sorted((environment or {}).items()),
            settings.agent_key_variable,
        )  # fmt: skip
        if key not in self._kept:
            self._kept[key] = provider_of(settings, known)
        return self._kept[key]

    def name(self, model: str = "") -> str:
        """Return the model's name."""
        return self._chosen(model).agent_model

    def limit(self, model: str = "") -> int:
        """Return the most tokens of a request."""
        return limit_of(self._chosen(model))

    async def close(self) -> None:
        """Give up all connections."""
        kept, self._kept = self._kept, {}
        with anyio.move_on_after(1, shield=True):
            for provider in kept.values():
                with contextlib.suppress(Exception):
                    await provider.close()

    def _chosen(self, model: str) -> Settings:
        settings = self._settings()
        return msgspec.structs.replace(settings, agent_model=model) if model else settings
