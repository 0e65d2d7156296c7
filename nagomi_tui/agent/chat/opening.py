"""Opens talks with the resident agent, and answers a single question on stdout."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import anyio
import msgspec

from nagomi_tui.agent.providers.interface import TextPiece
from nagomi_tui.agent.talk import events, remote
from nagomi_tui.system import paths
from nagomi_tui.system.environment import env_of_text
from nagomi_tui.text.cells import printable_lines
from nagomi_tui.text.words import Words, translatable
from nagomi_worker.wire import transport

if TYPE_CHECKING:
    from nagomi_tui.agent.chat.program import Open
    from nagomi_tui.settings.model import Settings

Write = Callable[[str], None]

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
) -> AsyncIterator[events.Talk]:
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
async def _remote(wanted: Wanted, settings: Settings, words: Words) -> AsyncIterator[events.Talk]:
    keys = _keys(settings)
    mine = env_of_text(os.environ)
    async with remote.connect(language=words.language, env=keys, sessions_env=mine) as agent:
        yield await agent.open(wanted.conversation, new=wanted.new, folders=wanted.folders)


@asynccontextmanager
async def _local(wanted: Wanted, settings: Settings, words: Words) -> AsyncIterator[events.Talk]:
    """Open the conversation in this process, under the conversation's file lock."""
    from nagomi_tui.agent.tools.interface import Workplace
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
            talk.last = talk.chat.last_exchange()  # nobody greets without a workplace
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
        raise events.TalkFault(words.say(_NOT_STARTED, reason=exc.message)) from exc
    except (Gone, TimeoutError) as exc:
        raise events.TalkFault(words.gettext("nagomi's orchestrator does not answer.")) from exc
    except paths.PlaceError as exc:
        raise events.TalkFault(words.say(exc.sentence, **exc.values)) from exc
    return True


def _keys(settings: Settings) -> dict[str, str]:
    """Return the environment variable with the model's key; empty if it is not set here."""
    name = settings.agent_key_variable
    return {name: os.environ[name]} if name in os.environ else {}


class Once:
    """Prints an answer as it arrives; questions of tools are answered with no."""

    def __init__(self, out: Write, err: Write, words: Words) -> None:
        self._out = out
        self._err = err
        self._words = words
        self._last = ""
        self._refused_consent = False

    async def ask(self, open_talk: Open, text: str) -> int:
        """Say `text` in a conversation, and return the exit code.

        The code is 0 for an answer, 1 for a failure, 130 if the turn was cancelled.

        Raises:
            TalkFault: the conversation cannot be opened, or the agent has gone.
        """
        codes = {"done": 0, "failed": 1, "cancelled": 130}
        code = 1
        async with open_talk("") as talk:
            said = cast("AsyncGenerator[events.TurnEvent, None]", talk.say(text))
            async with aclosing(said):
                async for event in said:
                    if isinstance(event, events.Question):
                        self._refuse(event)
                        await talk.answer(event.id, "no")
                    elif isinstance(event, events.TurnEnded):
                        code = 1 if self._refused_consent else codes[event.outcome]
                        self._end(event)
                    else:
                        self._show(event)
        return code

    def _show(self, event: events.TurnEvent) -> None:
        if isinstance(event, TextPiece):
            self._print(printable_lines(event.text))
        elif isinstance(event, events.Notice | events.Stage):
            self._err(event.text)

    def _print(self, text: str) -> None:
        self._out(text)
        self._last = text or self._last

    def _refuse(self, question: events.Question) -> None:
        sentence = translatable(
            "{title}: not done, since nobody is asked here; `nagomi chat` asks."
        )
        self._err(self._words.say(sentence, title=question.title))
        self._refused_consent = self._refused_consent or question.tool == events.CONSENT

    def _end(self, event: events.TurnEnded) -> None:
        if event.outcome == "done" and not self._last:
            self._print(printable_lines(event.text))
        if self._last and not self._last.endswith("\n"):
            self._out("\n")
        if event.outcome == "failed":
            self._err(event.text)


def ask(open_talk: Open, text: str, once: Once) -> int:
    """Run `Once.ask` in a new event loop, and return the exit code."""
    return anyio.run(once.ask, open_talk, text)
