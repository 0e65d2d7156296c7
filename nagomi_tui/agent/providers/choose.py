"""Makes the model provider that the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nagomi_tui.agent.providers import chat_api, messages_api
from nagomi_tui.agent.providers.faults import Retrying
from nagomi_tui.agent.providers.interface import ModelFault, Provider
from nagomi_tui.agent.providers.keys import CommandKey, Key
from nagomi_tui.agent.providers.models import model_of
from nagomi_tui.agent.providers.stream import Adapter
from nagomi_tui.settings.model import Settings, key_variable
from nagomi_tui.text.words import language_from, of, translatable

PUBLIC_URLS: Final = {
    "anthropic": messages_api.PUBLIC_URL,
    "openai": chat_api.PUBLIC_URL,
}
_KINDS: Final = {"anthropic": messages_api.MessagesApi, "openai": chat_api.ChatApi}


def provider_of(settings: Settings, environment: Mapping[str, str]) -> Provider:
    """Return the agent's model, without importing an SDK or connecting to anything.

    Raises:
        ModelFault: there is no key, and the provider needs one.
    """
    key = _key(settings, environment)
    made = adapter(settings.agent_provider, settings.agent_model, key, url=settings.agent_url)
    return Retrying(made)


def adapter(kind: str, model: str, key: Key, *, url: str = "") -> Adapter:
    """Return a model behind an API, `anthropic` or `openai`, without retries."""
    return _KINDS[kind](model, key, url=url, known=model_of(model))


def limit_of(settings: Settings, told: int | None) -> int:
    """Return the most tokens in a request: the user's setting, or else the model's limit (X-21).

    `told` is the server's own account of it; for a model of the table the smaller number counts.
    """
    if settings.agent_context_limit:
        return settings.agent_context_limit
    model = model_of(settings.agent_model)
    if told is None:
        return model.limit
    return min(told, model.limit) if model.listed else told


def _key(settings: Settings, environment: Mapping[str, str]) -> Key:
    words = of(language_from(environment, settings.language))
    if settings.agent_key_command:
        return CommandKey(settings.agent_key_command, environment, words)
    variable = key_variable(settings.agent_key_variable, settings.agent_provider)
    if key := environment.get(variable, "").strip():
        return Key(key)
    if settings.agent_url:
        return Key()
    sentence = words.gettext(
        translatable(
            "The agent's model needs a key, and the variable {variable} holds none. Set it before "
            "nagomi starts, or name a command that prints it: `agent_key_command` in the settings."
        )
    )
    raise ModelFault("key", sentence.format(variable=variable))
