"""The agent's library over real files, a real git and a scripted model server, without a workplace."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from nagomi_tui.agent.talk.events import Question, TurnEnded
from nagomi_tui.agent.turns.library import make_library
from nagomi_tui.agent.turns.local import LocalTalk, open_talk
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import of
from tests.helpers.no_workplace import NoWorkplace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from nagomi_tui.agent.talk.events import Choice, Talk, TurnEvent
    from nagomi_tui.agent.tools.interface import Workplace
    from nagomi_tui.agent.turns.library import Library
    from tests.helpers.model_server import ModelServer

KEY = {"ANTHROPIC_API_KEY": "sk-ant-fake-key-for-local-tests-0000000000"}


def settings_for(server: ModelServer, **values: Any) -> Settings:
    """Return settings that name the server and hold the consent."""
    told = {"llm_consent": True, "agent_url": server.url, "agent_model": "mame", **values}
    return Settings(**told)


@asynccontextmanager
async def library(
    server: ModelServer, workplace: Workplace | None = None, **values: Any
) -> AsyncIterator[Library]:
    """Give the library of this test's workplace."""
    settings = settings_for(server, **values)
    made = await make_library(lambda: settings, KEY, of("en"), workplace or NoWorkplace())
    try:
        yield made
    finally:
        await made.models.close()


@asynccontextmanager
async def talk(
    server: ModelServer, language: str = "en", **opened: Any
) -> AsyncIterator[LocalTalk]:
    """Give a conversation in this process."""
    async with library(server) as made, open_talk(made, of(language), **opened) as found:
        yield found


async def said(to: Talk, text: str, choice: Choice = "no") -> list[TurnEvent]:
    """Run a turn, answer its questions alike, and return all events."""
    events = []
    async for event in to.say(text):
        events.append(event)
        if isinstance(event, Question):
            await to.answer(event.id, choice)
    return events


def ended(events: list[TurnEvent]) -> TurnEnded:
    """Return the last event, which ends the turn."""
    last = events[-1]
    assert isinstance(last, TurnEnded)
    return last
