"""Opens a conversation: in the agent's process, or in this one where no workplace runs."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import msgspec

from nagomi_tui import paths
from nagomi_tui.agent.talk import remote
from nagomi_tui.agent.talk.interface import TalkFault
from nagomi_tui.words import translatable
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from nagomi_tui.agent.talk.interface import Talk
    from nagomi_tui.settings.model import Settings
    from nagomi_tui.words import Words

_NOT_STARTED = translatable("The agent does not start: {reason}")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversation is meant, and which folders its tools may see."""

    conversation: str = ""
    new: str | None = None
    folders: tuple[str, ...] = ()


@asynccontextmanager
async def opened(wanted: Wanted, settings: Settings, words: Words) -> AsyncIterator[Talk]:
    """Open the conversation; its process goes on without us.

    Raises:
        TalkFault: there is none of that name, or no agent can be reached.
    """
    if not await anyio.to_thread.run_sync(_listens):
        await _start(words)
    keys = _keys(settings)
    async with remote.connect(language=words.language, env=keys) as agent:
        yield await agent.open(wanted.conversation, new=wanted.new, folders=wanted.folders)


def _listens() -> bool:
    """Tell whether the agent takes connections, without loading what the orchestrator speaks."""
    try:
        trust.connect(str(paths.agent_socket()), 1.0).close()
    except OSError:
        return False
    return True


async def _start(words: Words) -> None:
    """Have the workplace start the agent."""
    from nagomi_tui.api.async_client import connect
    from nagomi_tui.api.client import Gone, NotServed, RequestFailed
    from nagomi_tui.api.messages import StartAgent

    try:
        async with connect() as connection:
            await connection.request(StartAgent(id=0))
    except RequestFailed as exc:
        raise TalkFault(words.say(_NOT_STARTED, reason=exc.message)) from exc
    except (Gone, TimeoutError) as exc:
        raise TalkFault(words.gettext("nagomi's orchestrator does not answer.")) from exc
    except paths.PlaceError as exc:
        raise TalkFault(words.say(exc.sentence, **exc.values)) from exc
    except NotServed as exc:
        sentence = words.say("nagomi is not running; `{program}` starts it.", program="nagomi")
        raise TalkFault(sentence) from exc


def _keys(settings: Settings) -> dict[str, str]:
    """Return the variable that holds the model's key, where this terminal has it."""
    name = settings.agent_key_variable
    return {name: os.environ[name]} if name in os.environ else {}
