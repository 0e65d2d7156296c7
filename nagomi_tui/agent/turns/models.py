"""The model providers in use, and sentences on why a model gave no answer."""

from __future__ import annotations

import contextlib
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui.agent.providers.choose import limit_of, provider_of
from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from nagomi_tui.agent.providers.interface import Cause, ModelEvent, ModelRequest, Provider
    from nagomi_tui.settings.model import Settings
    from nagomi_tui.text.words import Words

_SENTENCES: Final[dict[Cause, str]] = {
    "overflow": translatable(
        "The conversation is too long for the model, even after it was summed up. "
        "`/new` begins another one."
    ),
    "key": translatable(
        "The model's server did not take the key. Set it in the settings or its variable, "
        "then `/retry`."
    ),
    "rate": translatable(
        "The model's server takes no more requests for now. Wait a little, then `/retry`."
    ),
    "overloaded": translatable(
        "The model's server is overloaded or down. Wait a little, then `/retry`."
    ),
    "offline": translatable(
        "The model's server cannot be reached. Look at the network and the address in the "
        "settings, then `/retry`."
    ),
    "late": translatable("The model did not answer in time. `/retry` asks again."),
    "broken": translatable("The answer broke off before its end. `/retry` asks again."),
    "garbled": translatable(
        "What the server sent is no answer of a model. Look at its address in the settings, "
        "then `/retry`."
    ),
    "refused": translatable("The model's server refused the request."),
    "other": translatable("The model gave no answer. `/retry` asks again."),
}
CONSENT: Final = "consent"
"""The `kind` of a `ModelFault` that nagomi raises if the user has not agreed to sending anything."""
_NO_CONSENT: Final = translatable(
    "Nothing is sent to a model before you agree to it: set `llm_consent` in the settings, "
    "section Privacy."
)
NO_WORDS: Final = translatable("The model said nothing. `/retry` asks again.")
TOO_MANY_ROUNDS: Final = translatable(
    "The model used its tools {count} times in a row and did not answer, so it was stopped. "
    "`/retry` asks again."
)
CUT: Final = translatable("The answer was cut at its longest; ask for the rest.")
REFUSED: Final = translatable("The model declined to go on.")
_SAYS: Final = translatable("{sentence} The server says: {message}")
_MOST_SAID: Final = 300


def sentence_of(fault: ModelFault, words: Words) -> str:
    """Return what is wrong and what to do, in the user's language, with the server's message."""
    if fault.kind == CONSENT:
        return words.gettext(_NO_CONSENT)
    sentence = words.gettext(_SENTENCES[fault.cause])
    message = str(fault).strip()[:_MOST_SAID]
    if not message:
        return sentence
    if not fault.status:  # not an HTTP answer: the message is from nagomi or the system
        return message if fault.cause == "key" else f"{sentence} ({message})"
    return words.say(_SAYS, sentence=sentence, message=message)


class Models:
    """Gives out providers, and reuses each until its settings change.

    `environment` may hold the models' keys.
    """

    def __init__(self, settings: Callable[[], Settings], environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment
        self._kept: dict[tuple[object, ...], Provider] = {}
        self._asking = 0
        self.on_asking: list[Callable[[bool], object]] = []
        """Functions called with True when requests begin, and with False when none runs any more."""

    def provider(self, model: str = "", environment: Mapping[str, str] | None = None) -> Provider:
        """Return the provider for the current settings, or for another `model` of that provider.

        Variables in `environment`, such as the caller's key, go before those of this process.

        Raises:
            ModelFault: the user has not agreed to sending anything, or there is no key.
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
            self._kept[key] = _Watched(provider_of(settings, known), self._count)
        return self._kept[key]

    def name(self, model: str = "") -> str:
        """Return the name of the model, by default that of the settings."""
        return self._chosen(model).agent_model

    def limit(self, model: str = "") -> int:
        """Return the context limit in tokens: that of the settings, or else the model's."""
        return limit_of(self._chosen(model))

    async def close(self) -> None:
        """Close the connections of all providers, within a second."""
        kept, self._kept = self._kept, {}
        with anyio.move_on_after(1, shield=True):
            for provider in kept.values():
                with contextlib.suppress(Exception):
                    await provider.close()

    def _count(self, by: int) -> None:
        before, self._asking = self._asking, self._asking + by
        if bool(before) != bool(self._asking):
            for hear in self.on_asking:
                hear(bool(self._asking))

    def _chosen(self, model: str) -> Settings:
        settings = self._settings()
        return msgspec.structs.replace(settings, agent_model=model) if model else settings


class _Watched:
    """A provider that calls `count` with 1 when a request begins, and with -1 when it ends."""

    def __init__(self, provider: Provider, count: Callable[[int], None]) -> None:
        self._provider = provider
        self._counted = count

    @property
    def model(self) -> str:
        """The model's name."""
        return self._provider.model

    async def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer."""
        self._counted(1)
        try:
            async with aclosing(self._provider.ask(request)) as events:
                async for event in events:
                    yield event
        finally:
            self._counted(-1)

    async def count(self, request: ModelRequest) -> int | None:
        """Return the tokens of a request; None if the server cannot count them."""
        return await self._provider.count(request)

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._provider.close()
