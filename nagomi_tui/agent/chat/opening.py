"""Opens a conversation in the agent's process, or in this process if no workplace runs."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import msgspec

from nagomi_tui.agent.talk import remote
from nagomi_tui.agent.talk.events import TalkFault
from nagomi_tui.system import paths
from nagomi_tui.system.environment import env_of_text
from nagomi_tui.text.words import translatable
from nagomi_worker.wire import transport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from nagomi_tui.agent.talk.events import Talk
    from nagomi_tui.settings.model import Settings
    from nagomi_tui.text.words import Words

_ALONE = translatable(
    "No workplace runs here, so there are no sessions to ask about; `nagomi` starts one."
)
_NOT_STARTED = translatable("The agent does not start: {reason}")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversation to open: by a name, as a new one with a label, or else the latest.

    Its tools may see `folders` beside the agent's own folder.
    """

    conversation: str = ""
    new: str | None = None
    folders: tuple[str, ...] = ()


@asynccontextmanager
async def opened(
    wanted: Wanted, settings: Settings, words: Words, conversation: str = ""
) -> AsyncIterator[Talk]:
    """Open the conversation in the agent's process, or in this one if no workplace runs.

    `conversation` is the id of a conversation to open again; it goes before what `wanted` names.
    The agent's process keeps running after this program has ended.

    Raises:
        TalkFault: there is no such conversation, or the agent cannot be started or reached.
    """
    if conversation:
        wanted = Wanted(conversation=conversation, folders=wanted.folders)
    here = not await anyio.to_thread.run_sync(_listens) and not await _started(words)
    async with (
        _local(wanted, settings, words) if here else _remote(wanted, settings, words) as talk
    ):
        yield talk


@asynccontextmanager
async def _remote(wanted: Wanted, settings: Settings, words: Words) -> AsyncIterator[Talk]:
    keys = _keys(settings)
    mine = env_of_text(os.environ)
    async with remote.connect(language=words.language, env=keys, sessions_env=mine) as agent:
        yield await agent.open(wanted.conversation, new=wanted.new, folders=wanted.folders)


@asynccontextmanager
async def _local(wanted: Wanted, settings: Settings, words: Words) -> AsyncIterator[Talk]:
    """Open the conversation in this process, under the conversation's file lock."""
    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.agent.turns.library import make_library
    from nagomi_tui.agent.turns.local import open_talk

    library = await make_library(lambda: settings, os.environ, words, Workplace())
    try:
        async with open_talk(
            library,
            words,
            conversation=wanted.conversation,
            new=wanted.new,
            folders=[Path(folder) for folder in wanted.folders],
        ) as talk:
            talk.notice = "\n".join(filter(None, (words.gettext(_ALONE), talk.notice)))
            yield talk
    finally:
        await library.models.close()


def _listens() -> bool:
    """Tell whether the agent accepts connections, without importing the orchestrator's client."""
    try:
        transport.connect_to(str(paths.agent_socket()), 1.0).close()
    except OSError:
        return False
    return True


async def _started(words: Words) -> bool:
    """Have the workplace start the agent; return False if no workplace runs."""
    from nagomi_tui.api.async_client import connect
    from nagomi_tui.api.client import Gone, NotServed, RequestFailed
    from nagomi_tui.api.messages import StartAgent

    try:
        async with connect() as connection:
            await connection.request(StartAgent(id=0))
    except NotServed:
        return False
    except RequestFailed as exc:
        raise TalkFault(words.say(_NOT_STARTED, reason=exc.message)) from exc
    except (Gone, TimeoutError) as exc:
        raise TalkFault(words.gettext("nagomi's orchestrator does not answer.")) from exc
    except paths.PlaceError as exc:
        raise TalkFault(words.say(exc.sentence, **exc.values)) from exc
    return True


def _keys(settings: Settings) -> dict[str, str]:
    """Return the environment variable with the model's key; empty if it is not set here."""
    name = settings.agent_key_variable
    return {name: os.environ[name]} if name in os.environ else {}
